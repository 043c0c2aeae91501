#include "run/session/steering.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <memory>

#include "../written_case.h"

namespace indexfuzz {
namespace {

struct Free {
  void operator()(SharedMemory* memory) const { free(memory); }
};

class SteeringTest : public testing::Test {
 protected:
  SharedMemory& memory() { return *memory_; }
  Slot& slot() { return memory_->slots[0]; }

  /// What the supervisor writes down for a finding.
  void find(const Case& carrier, std::size_t implementation, const TraitSet& essential,
            std::uint32_t one_in = 100, bool ends_process = false,
            std::int64_t least_elements = 0) {
    const std::uint32_t count = memory_->steered.count.load();
    SteeredFailure& failure = memory_->steered.entries[count];
    failure.target = steering_target(carrier, implementation);
    failure.least_elements = least_elements;
    failure.one_in = one_in;
    failure.ends_process = ends_process;
    failure.trait_count = static_cast<std::uint8_t>(essential.size());
    std::ranges::copy(essential, failure.traits);
    memory_->steered.count.store(count + 1);
  }
  bool turned_away(const Case& c, std::size_t implementation = 0) {
    return steering_.turns_away(memory(), slot(), number_++, c, implementation, calls_base_);
  }

  // All of it is plain data that begins as zeros, as in a fresh mapping.
  std::unique_ptr<SharedMemory, Free> memory_{
      static_cast<SharedMemory*>(calloc(1, shared_memory_bytes(1)))};
  Steering steering_;
  bool calls_base_ = false;
  std::uint64_t number_ = 0;

  const Case plain_ = written("gather functional\nself float32 (4)\nindex int64 (2) fill=first\n");
  const Case int32_ = written("gather functional\nself float32 (4)\nindex int32 (2) fill=first\n");
  const Case both_ =
      written("gather functional\nself float32 (4) step=(2)\nindex int32 (2) fill=first\n");
};

TEST_F(SteeringTest, TurnsNothingAwayWhileNothingIsFound) {
  for (int i = 0; i < 1000; ++i) EXPECT_FALSE(turned_away(both_));
}

TEST_F(SteeringTest, OneCarrierInAHundredOfWhatRuns) {
  find(int32_, 0, traits(int32_));
  int carriers = 0;
  const int all = 100000;
  for (int i = 0; i < all; ++i) {
    if (i % 2 == 0) {
      carriers += turned_away(both_) ? 0 : 1;
    } else {
      EXPECT_FALSE(turned_away(plain_));
    }
  }
  const int run = all / 2 + carriers;
  EXPECT_LE(carriers * 100, run);
  EXPECT_GE((carriers + 1) * 100, run) << "the 1 % is used";
}

TEST_F(SteeringTest, TellsBeforehandWhatItWillSay) {
  find(int32_, 0, traits(int32_));
  int away = 0;
  for (int i = 0; i < 3000; ++i) {
    const Case& c = i % 3 == 0 ? both_ : plain_;
    const bool would = steering_.would_turn_away(memory(), slot(), c, 0, false);
    EXPECT_EQ(steering_.would_turn_away(memory(), slot(), c, 0, false), would);
    EXPECT_EQ(turned_away(c), would);
    away += would ? 1 : 0;
  }
  EXPECT_GT(away, 900);
  EXPECT_LT(away, 1000);
}

TEST_F(SteeringTest, WhatCostsMoreIsRarer) {
  find(int32_, 0, traits(int32_), 10000);
  int carriers = 0;
  for (int i = 0; i < 50000; ++i) {
    if (i % 2 == 0)
      carriers += turned_away(both_) ? 0 : 1;
    else
      EXPECT_FALSE(turned_away(plain_));
  }
  EXPECT_EQ(carriers, 2);
}

TEST_F(SteeringTest, WhereEveryCaseCostsMuchHardlyAnyRuns) {
  find(plain_, 0, {}, 1000);
  int run = 0;
  for (int i = 0; i < 30000; ++i) run += turned_away(plain_) ? 0 : 1;
  EXPECT_EQ(run, 4);
}

TEST_F(SteeringTest, AllTraitsMustBeThere) {
  find(both_, 0, traits(both_));
  int away = 0;
  for (int i = 0; i < 1000; ++i) {
    EXPECT_FALSE(turned_away(int32_));
    away += turned_away(both_) ? 1 : 0;
  }
  EXPECT_GE(away, 985);
}

TEST_F(SteeringTest, OtherImplementationsFormsAndRulesGoOn) {
  find(int32_, 1, traits(int32_));
  Case out = int32_;
  out.variant = Variant::kOut;
  Case illegal = int32_;
  illegal.breaks = 1;
  for (int i = 0; i < 1000; ++i) {
    EXPECT_FALSE(turned_away(int32_, 0));
    EXPECT_FALSE(turned_away(out, 1));
    EXPECT_FALSE(turned_away(illegal, 1));
  }
  EXPECT_TRUE(turned_away(int32_, 1));
}

TEST_F(SteeringTest, AnIllegalCaseIsSparedWhereItsLegalBaseEndsTheProcess) {
  Case illegal = int32_;
  illegal.breaks = 1;
  find(int32_, 0, traits(int32_));
  calls_base_ = true;
  EXPECT_FALSE(turned_away(illegal)) << "nobody judges the base";
  find(int32_, 0, traits(int32_), 10000, true);
  EXPECT_TRUE(turned_away(illegal));
  calls_base_ = false;
  EXPECT_FALSE(turned_away(illegal));
}

TEST_F(SteeringTest, WhatIsSmallerThanTheSmallestIsNotLikeIt) {
  find(plain_, 0, {}, 100, true, total_elements(plain_) + 1);
  for (int i = 0; i < 1000; ++i) EXPECT_FALSE(turned_away(plain_));
  const Case larger = written("gather functional\nself float32 (5)\nindex int64 (2) fill=first\n");
  int away = 0;
  for (int i = 0; i < 1000; ++i) away += turned_away(larger) ? 1 : 0;
  EXPECT_GT(away, 900);
}

TEST_F(SteeringTest, WhereEveryCaseFailsOneInAThousandStillRuns) {
  find(plain_, 0, {});
  int run = 0;
  for (int i = 1; i <= 100; ++i) EXPECT_EQ(turned_away(plain_), i < 100) << "the first runs early";
  for (int i = 100; i < 10000; ++i) run += turned_away(plain_) ? 0 : 1;
  EXPECT_EQ(run, 10);
}

TEST_F(SteeringTest, ASuccessorOfADeadWorkerGoesOnCounting) {
  find(int32_, 0, traits(int32_));
  int carriers = 0, run = 0;
  for (int i = 0; i < 20000; ++i) {
    const bool carrier = i % 4 == 0;
    if (turned_away(carrier ? int32_ : plain_)) continue;
    ++run;
    // It dies of every carrier.
    if (carrier) steering_ = Steering();
    carriers += carrier;
  }
  EXPECT_LE(carriers * 100, run);
  EXPECT_GT(carriers, 0);
}

TEST_F(SteeringTest, EachOfSeveralFailuresIsRare) {
  find(int32_, 0, traits(int32_));
  const Case strided =
      written("gather functional\nself float32 (4) step=(2)\nindex int64 (2) fill=first\n");
  for (int i = 0; i < 10; ++i) EXPECT_FALSE(turned_away(strided));
  find(strided, 0, traits(strided));
  EXPECT_TRUE(turned_away(strided));
  EXPECT_TRUE(turned_away(int32_));
  EXPECT_TRUE(turned_away(both_));
}

}  // namespace
}  // namespace indexfuzz
