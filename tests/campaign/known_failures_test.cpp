#include "campaign/examine/known_failures.h"

#include <gtest/gtest.h>

#include <memory>

#include "../written_case.h"

namespace indexfuzz {
namespace {

const Case kCase =
    written("index_select functional\nself float32 (4, 4)\nindex int64 (2) fill=first\n");

TEST(KnownFailures, AreFullOnlyWhileNoneIsDropped) {
  constexpr std::uint64_t kAnother = kMaxKnownFailures + 1;
  const auto list = std::make_unique<KnownFailureList>();
  KnownFailures known(*list);
  for (int i = 0; i < kMaxKnownFailures; ++i) {
    EXPECT_FALSE(known.full());
    EXPECT_EQ(known.add(static_cast<std::uint64_t>(i) + 1, {}), i);
  }
  EXPECT_TRUE(known.full());
  EXPECT_EQ(known.add(kAnother, {}), -1);
  EXPECT_TRUE(known.holds(3, kCase));
  EXPECT_FALSE(known.holds(3, kCase, 2)) << "but for itself";
  EXPECT_FALSE(known.holds(kAnother, kCase));

  known.drop(2);
  EXPECT_FALSE(known.full());
  EXPECT_FALSE(known.holds(3, kCase));
  EXPECT_EQ(known.add(kAnother, {}), 2);
  EXPECT_TRUE(known.full());
  EXPECT_TRUE(known.holds(kAnother, kCase));
}

TEST(KnownFailures, WhatHasFewerElementsIsAnotherFailure) {
  const auto list = std::make_unique<KnownFailureList>();
  KnownFailures known(*list);
  known.add(1, {}, total_elements(kCase) + 1);
  EXPECT_FALSE(known.holds(1, kCase));
  known.add(1, {}, total_elements(kCase));
  EXPECT_TRUE(known.holds(1, kCase));
  EXPECT_FALSE(known.holds(2, kCase));
}

}  // namespace
}  // namespace indexfuzz
