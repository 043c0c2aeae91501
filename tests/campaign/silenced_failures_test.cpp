#include "campaign/examine/silenced_failures.h"

#include <gtest/gtest.h>

#include <memory>

#include "../written_case.h"

namespace indexfuzz {
namespace {

const Case kCase =
    written("index_select functional\nself float32 (4, 4)\nindex int64 (2) fill=first\n");

TEST(SilencedFailures, AreFullOnlyWhileNoneIsDropped) {
  constexpr std::uint64_t kAnother = kMaxSilenced + 1;
  const auto list = std::make_unique<SilencedFailureList>();
  SilencedFailures silenced(*list);
  for (int i = 0; i < kMaxSilenced; ++i) {
    EXPECT_FALSE(silenced.full());
    EXPECT_EQ(silenced.add(static_cast<std::uint64_t>(i) + 1, {}), i);
  }
  EXPECT_TRUE(silenced.full());
  EXPECT_EQ(silenced.add(kAnother, {}), -1);
  EXPECT_TRUE(silenced.holds(3, kCase));
  EXPECT_FALSE(silenced.holds(3, kCase, 2)) << "but for itself";
  EXPECT_FALSE(silenced.holds(kAnother, kCase));

  silenced.drop(2);
  EXPECT_FALSE(silenced.full());
  EXPECT_FALSE(silenced.holds(3, kCase));
  EXPECT_EQ(silenced.add(kAnother, {}), 2);
  EXPECT_TRUE(silenced.full());
  EXPECT_TRUE(silenced.holds(kAnother, kCase));
}

TEST(SilencedFailures, WhatHasFewerElementsIsAnotherFailure) {
  const auto list = std::make_unique<SilencedFailureList>();
  SilencedFailures silenced(*list);
  silenced.add(1, {}, total_elements(kCase) + 1);
  EXPECT_FALSE(silenced.holds(1, kCase));
  silenced.add(1, {}, total_elements(kCase));
  EXPECT_TRUE(silenced.holds(1, kCase));
  EXPECT_FALSE(silenced.holds(2, kCase));
}

}  // namespace
}  // namespace indexfuzz
