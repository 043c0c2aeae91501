#include "campaign/examine/met_failures.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "../written_case.h"

namespace indexfuzz {
namespace {

constexpr std::uint64_t kKey = 7;

class MetFailuresTest : public testing::Test {
 protected:
  static Suspect suspect(const std::string& layout) {
    Suspect suspect;
    suspect.c = written("index_select functional\nself float32 (6, 4) " + layout +
                        "\nindex int64 (3) fill=last\n");
    return suspect;
  }
  std::unique_ptr<SilencedFailureList> list_ = std::make_unique<SilencedFailureList>();
  MetFailures met_{*list_};
};

TEST_F(MetFailuresTest, WhatIsNotedIsTakenUpOnceAndKnownMeanwhile) {
  Suspect first = suspect("offset=3"), alike = suspect("offset=3");
  EXPECT_TRUE(met_.note(first, kKey));
  EXPECT_FALSE(met_.note(alike, kKey));
  EXPECT_EQ(met_.duplicates(), 1u);
  EXPECT_TRUE(met_.take_up(first, kKey));
  EXPECT_FALSE(met_.note(alike, kKey)) << "until it is dropped";
  met_.drop(first.silenced_place);
  EXPECT_TRUE(met_.note(alike, kKey));
}

TEST_F(MetFailuresTest, WhatIsAbandonedMayComeAgain) {
  Suspect first = suspect("offset=3"), again = suspect("offset=3");
  EXPECT_TRUE(met_.note(first, kKey));
  met_.abandon(first, kKey);
  EXPECT_TRUE(met_.note(again, kKey));
  EXPECT_EQ(met_.duplicates(), 0u);
}

TEST_F(MetFailuresTest, WhatBecameKnownWhileItWaitedNeedsNoExamination) {
  Suspect noted = suspect("offset=3");
  EXPECT_TRUE(met_.note(noted, kKey));
  met_.add(kKey, {});
  EXPECT_FALSE(met_.take_up(noted, kKey));
  EXPECT_EQ(met_.duplicates(), 1u);
}

TEST_F(MetFailuresTest, AfterManyRepeatsTheKeyIsKnown) {
  Suspect other = suspect("order=(1, 0)");
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(met_.count_repeat(kKey, 0));
  EXPECT_TRUE(met_.count_repeat(kKey, 0));
  EXPECT_FALSE(met_.note(other, kKey));
  EXPECT_TRUE(met_.note(other, kKey + 1));
}

TEST_F(MetFailuresTest, WhatNeverShowsAgainIsElusiveFromTheThirdOnUnlessItMayBeTheMachine) {
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(met_.elusive(), 0u);
    met_.note_unconfirmed(kKey, Kind::kValue);
    met_.note_unconfirmed(kKey + 1, Kind::kHang);
  }
  EXPECT_EQ(met_.unconfirmed(), 6u);
  EXPECT_EQ(met_.elusive(), 1u);
  EXPECT_TRUE(met_.was_unconfirmed(kKey));
  met_.explain(kKey, Kind::kValue);
  EXPECT_FALSE(met_.was_unconfirmed(kKey));
  EXPECT_EQ(met_.unconfirmed(), 3u);
}

}  // namespace
}  // namespace indexfuzz
