#include "run/session/narrowing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <memory>
#include <string>

#include "../written_case.h"
#include "draw/draw.h"
#include "judge/traits.h"
#include "ops/definition/operator.h"

namespace indexfuzz {
namespace {

struct Free {
  void operator()(Slot* slot) const { free(slot); }
};

/// A kernel of gather and the worker that calls it on drawn cases.
class NarrowingTest : public testing::Test {
 protected:
  static constexpr std::size_t kKernel = 1;

  Case draw_next() {
    Case c;
    const Target targets[] = {{find_operator(std::string_view("gather"))->number, 0}};
    Limits limits;
    limits.illegal = false;
    draw_case(7, 0, number_++, targets, limits, c);
    return c;
  }
  void call(const Case& c, bool refuses) {
    Tally& tally = slot_->tallies[kKernel][place_of(c.op)];
    if (refuses) ++tally.narrowed;
    if (tally.narrowed > 0) note_legal_call(*slot_, kKernel, c, refuses);
  }
  /// Offers drawn cases; of those that were run, how many were taken.
  template <typename Refuses>
  double taken_share(int cases, Refuses&& refuses) {
    int run = 0, taken = 0;
    for (int i = 0; i < cases; ++i) {
      const Case c = draw_next();
      if (is_passed_over(*slot_, kKernel, number_ - 1, c)) continue;
      ++run;
      taken += refuses(c) ? 0 : 1;
      call(c, refuses(c));
    }
    return static_cast<double>(taken) / run;
  }
  bool expected(const std::string& self, const std::string& index) {
    const Case c = written("gather functional\n" + self + "\n" + index + " fill=first\n");
    return expects_refusal(*slot_, kKernel, c);
  }

  // All of it is plain data that begins as zeros, as in a fresh mapping.
  std::unique_ptr<Slot, Free> slot_{static_cast<Slot*>(calloc(1, sizeof(Slot)))};
  std::uint64_t number_ = 0;
};

bool is_whole(const Operand& operand) {
  return is_contiguous(operand.layout);
}

TEST_F(NarrowingTest, PassesNothingOverOfAKernelThatTakesAll) {
  EXPECT_EQ(taken_share(3000, [](const Case&) { return false; }), 1);
  EXPECT_EQ(slot_->refused_traits.entries[0].of, 0u);
}

TEST_F(NarrowingTest, WhatAKernelTakesBecomesMostOfWhatItIsGiven) {
  const auto refuses = [](const Case& c) {
    return c.operands[0].dtype != Dtype::kFloat || c.operands[1].dtype != Dtype::kInt64 ||
           !is_whole(c.operands[0]) || !is_whole(c.operands[1]) || rank(c.operands[0].shape) != 2;
  };
  EXPECT_LT(taken_share(10000, refuses), 0.1);
  taken_share(100000, refuses);
  EXPECT_GT(taken_share(100000, refuses), 0.4);
  EXPECT_TRUE(expected("self int8 (4, 4)", "index int64 (2, 2)"));
  EXPECT_TRUE(expected("self float32 (4, 4) step=(2, 1)", "index int64 (2, 2)"));
  EXPECT_TRUE(expected("self float32 (4, 4)", "index int32 (2, 2)"));
  EXPECT_TRUE(expected("self float32 (4, 4, 4)", "index int64 (2, 2, 2)"));
  EXPECT_FALSE(expected("self float32 (4, 4)", "index int64 (2, 2)"));
}

TEST_F(NarrowingTest, RefusalsForARareReasonLeaveTheRestAlone) {
  const auto refuses = [](const Case& c) { return numel(c.operands[0].shape) % 3 == 0; };
  taken_share(30000, refuses);
  EXPECT_FALSE(expected("self int8 (3, 4) order=(1, 0)", "index int32 (2, 3)"));
}

TEST_F(NarrowingTest, AWrongConclusionIsNoticed) {
  // A kernel that takes nothing small while it has little to go by, and then everything.
  const Case strided =
      written("gather functional\nself float32 (4) step=(2)\nindex int64 (2) fill=first\n");
  const Case plain = written("gather functional\nself float32 (4)\nindex int64 (2) fill=first\n");
  for (int i = 0; i < 500; ++i) {
    call(strided, i < 10);
    if (i > 10) call(plain, false);
  }
  for (int i = 0; i < 6; ++i) call(strided, true);
  EXPECT_FALSE(expects_refusal(*slot_, kKernel, strided)) << "most were taken";

  slot_.reset(static_cast<Slot*>(calloc(1, sizeof(Slot))));
  call(plain, true);
  for (int i = 0; i < 2000; ++i) call(plain, false);
  for (int i = 0; i < 6; ++i) call(strided, true);
  ASSERT_TRUE(expects_refusal(*slot_, kKernel, strided));
  int run = 0;
  for (std::uint64_t number = 0; number < 1600; ++number)
    run += is_passed_over(*slot_, kKernel, number, strided) ? 0 : 1;
  EXPECT_GT(run, 60);
  EXPECT_LT(run, 140);
  for (int i = 0; i < 4; ++i) call(strided, false);
  EXPECT_FALSE(expects_refusal(*slot_, kKernel, strided));
}

TEST_F(NarrowingTest, WhatWasTakenBeforeTheFirstRefusalCounts) {
  const Case plain = written("gather functional\nself float32 (4)\nindex int64 (2) fill=first\n");
  Tally& tally = slot_->tallies[kKernel][place_of(plain.op)];
  tally.agreed = 1;
  call(plain, true);
  EXPECT_LT(tally.taken_share, 0.05) << "one case tells little";
  slot_.reset(static_cast<Slot*>(calloc(1, sizeof(Slot))));
  Tally& other = slot_->tallies[kKernel][place_of(plain.op)];
  other.agreed = 10000;
  call(plain, true);
  EXPECT_GT(other.taken_share, 0.99);
  for (int i = 0; i < 30; ++i) call(plain, true);
  EXPECT_TRUE(has_stopped_taking(*slot_, kKernel, plain));
}

TEST_F(NarrowingTest, ARowOfRefusalsOfAKernelThatTookSuchCasesIsNoChance) {
  const Case plain = written("gather functional\nself float32 (4)\nindex int64 (2) fill=first\n");
  call(plain, true);
  for (int i = 0; i < 2000; ++i) call(plain, i % 2 == 0);
  EXPECT_FALSE(has_stopped_taking(*slot_, kKernel, plain));
  for (int i = 0; i < 30; ++i) call(plain, true);
  EXPECT_FALSE(has_stopped_taking(*slot_, kKernel, plain)) << "of 30, 15 were to be expected";
  for (int i = 0; i < 30; ++i) call(plain, true);
  EXPECT_TRUE(has_stopped_taking(*slot_, kKernel, plain));
  EXPECT_FALSE(has_stopped_taking(*slot_, kKernel, plain)) << "told once";
}

TEST_F(NarrowingTest, AMaskIsNamedAndAFewIndicesOfDrawnSignAreNot) {
  const auto names = [](const std::string& entry) {
    const Case c = written("index.Tensor functional\nself float32 (9)\nindices " + entry + "\n");
    std::string all;
    for (const Trait one : traits_and_ranks(c)) all += describe(one, c) + "; ";
    return all;
  };
  using testing::HasSubstr;
  EXPECT_THAT(names("bool (9) fill=mask_front popcount=2"), HasSubstr("is a boolean mask"));
  EXPECT_THAT(names("int64 (9) fill=first"), Not(HasSubstr("is a boolean mask")));
  EXPECT_THAT(names("int64 (3) fill=first negatives=some"), Not(HasSubstr("negative")));
  EXPECT_THAT(names("int64 (4) fill=first negatives=some"), HasSubstr("negative"));
  EXPECT_THAT(names("int64 (1) fill=first negatives=all"), HasSubstr("negative"));
}

TEST_F(NarrowingTest, OtherImplementationsGoOn) {
  const Case plain = written("gather functional\nself float32 (4)\nindex int64 (2) fill=first\n");
  const Case strided =
      written("gather functional\nself float32 (4) step=(2)\nindex int64 (2) fill=first\n");
  call(plain, true);
  for (int i = 0; i < 2000; ++i) call(plain, false);
  for (int i = 0; i < 10; ++i) call(strided, true);
  EXPECT_TRUE(expects_refusal(*slot_, kKernel, strided));
  EXPECT_FALSE(expects_refusal(*slot_, kKernel + 1, strided));
}

}  // namespace
}  // namespace indexfuzz
