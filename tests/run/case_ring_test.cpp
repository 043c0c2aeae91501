// What shared memory keeps of the coverage engine: the ring of cases, the pool, what was found.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <random>

#include "../written_case.h"
#include "run/shared/protocol.h"

namespace indexfuzz {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

std::vector<Case> some_cases(std::uint64_t count) {
  const auto targets = all_targets();
  std::vector<Case> cases(count);
  for (std::uint64_t i = 0; i < count; ++i) draw_case(1, 0, i, targets, {}, cases[i]);
  return cases;
}

std::vector<std::byte> encoded(const Case& c) {
  std::vector<std::byte> bytes(kEncodedBytes);
  bytes.resize(encode_short(c, bytes.data()));
  return bytes;
}

void note(CaseRing& ring, std::uint64_t number, std::uint32_t pooled, const Case& c) {
  Case anywhere = c;
  anywhere.environment = {};
  note_case(ring, number, pooled, encoded(anywhere), c.environment);
}

/// The `count` cases up to and including `number`, as far as the ring still holds them, in the
/// order in which they ran.
std::vector<Case> last_cases(const CaseRing& ring, std::uint64_t number, std::uint64_t count) {
  std::vector<Case> cases;
  const std::uint64_t most = std::min({count, kRingCases, number + 1});
  for (std::uint64_t i = number + 1 - most; i <= number; ++i) {
    if (const CaseRing::Record* record = find_case(ring, i)) cases.push_back(case_of(*record));
  }
  return cases;
}

TEST(CaseRing, GivesTheLastCasesInTheOrderInWhichTheyRan) {
  const auto ring = std::make_unique<CaseRing>();
  const auto cases = some_cases(kRingCases + 500);
  EXPECT_EQ(find_case(*ring, 0), nullptr);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    note(*ring, i, static_cast<std::uint32_t>(i % 3), cases[i]);
  }
  const std::uint64_t last = cases.size() - 1;
  EXPECT_THAT(last_cases(*ring, last, 3),
              ElementsAre(cases[last - 2], cases[last - 1], cases[last]));
  EXPECT_THAT(last_cases(*ring, 600, 2), ElementsAre(cases[599], cases[600]));
  EXPECT_THAT(last_cases(*ring, last, 1u << 20), SizeIs(kRingCases));
  EXPECT_EQ(last_cases(*ring, last, 1u << 20).front(), cases[last + 1 - kRingCases]);
  EXPECT_THAT(last_cases(*ring, last, 0), IsEmpty());
  EXPECT_EQ(find_case(*ring, 10), nullptr) << "overwritten";
  EXPECT_EQ(find_case(*ring, last + 1), nullptr) << "not run yet";
  ASSERT_NE(find_case(*ring, 700), nullptr);
  EXPECT_EQ(find_case(*ring, 700)->pooled, 700u % 3);
}

TEST(CaseRing, HasFewerCasesAtTheBeginning) {
  const auto ring = std::make_unique<CaseRing>();
  const auto cases = some_cases(4);
  for (std::size_t i = 0; i < 4; ++i) note(*ring, i, 0, cases[i]);
  EXPECT_EQ(last_cases(*ring, 3, 1024), cases);
  EXPECT_EQ(last_cases(*ring, 1, 1024), std::vector(cases.begin(), cases.begin() + 2));
}

TEST(CaseRing, WhateverAKernelWroteOverItIsALegalCase) {
  const auto ring = std::make_unique<CaseRing>();
  std::mt19937_64 random(1);
  for (std::uint64_t i = 0; i < 2'000; ++i) {
    CaseRing::Record& record = ring->records[i % kRingCases];
    record.size = static_cast<std::uint32_t>(random());
    for (std::byte& byte : record.bytes) byte = static_cast<std::byte>(random() >> 56);
    EXPECT_EQ(why_illegal(case_of(record)), "");
  }
}

TEST(CasePool, KeepsWhatFits) {
  const auto pool = std::make_unique<CasePool>();
  Pooled pooled;
  const auto cases = some_cases(100);
  for (const Case& c : cases) ASSERT_TRUE(add_to_pool(*pool, pooled, c.op, encoded(c)));
  ASSERT_EQ(pool->count, 100u);
  for (std::uint32_t i = 0; i < 100; ++i) {
    EXPECT_EQ(pool->entries[i].op, cases[i].op);
    EXPECT_EQ(decode(bytes_of(*pool, i)), cases[i]);
  }
  const std::vector<std::byte> largest(kEncodedBytes);
  while (add_to_pool(*pool, pooled, 1, largest)) {
  }
  EXPECT_LE(pooled.bytes, kPoolBytes);
  EXPECT_GT(pooled.bytes, kPoolBytes - kEncodedBytes);
  EXPECT_EQ(decode(bytes_of(*pool, 99)), cases[99]);
}

TEST(FoundCases, AreTakenInOrderAndNoneIsOverwritten) {
  const auto found = std::make_unique<FoundCases>();
  const auto cases = some_cases(2 * kFoundCases);
  EXPECT_TRUE(next_found(*found).empty());
  std::size_t offered = 0, taken = 0;
  while (offered < cases.size() && offer_found(*found, encoded(cases[offered]))) ++offered;
  EXPECT_EQ(offered, kFoundCases);
  while (taken < cases.size()) {
    for (int i = 0; i < 50 && !next_found(*found).empty(); ++i) {
      ASSERT_EQ(decode(next_found(*found)), cases[taken++]);
      drop_found(*found);
    }
    while (offered < cases.size() && offer_found(*found, encoded(cases[offered]))) ++offered;
  }
  EXPECT_TRUE(next_found(*found).empty());
  EXPECT_FALSE(offer_found(*found, std::vector<std::byte>(kEncodedBytes + 1)));
}

TEST(FoundCases, AreDroppedIfAKernelWroteOverTheirNumbers) {
  const auto found = std::make_unique<FoundCases>();
  const Case c = some_cases(1).front();
  ASSERT_TRUE(offer_found(*found, encoded(c)));
  found->written = ~std::uint64_t{0} / 3;
  EXPECT_TRUE(next_found(*found).empty());
  ASSERT_TRUE(offer_found(*found, encoded(c)));
  EXPECT_EQ(decode(next_found(*found)), c);
}

}  // namespace
}  // namespace indexfuzz
