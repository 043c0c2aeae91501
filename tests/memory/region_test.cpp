#include "memory/region.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <utility>
#include <vector>

#include "case/number.h"
#include "ops/numbers/cast.h"

namespace indexfuzz {
namespace {

using ::testing::KilledBySignal;

void write(std::byte* at) {
  *const_cast<volatile std::byte*>(at) = std::byte{1};
}
void read(std::byte* at) {
  std::exit(static_cast<int>(*const_cast<volatile std::byte*>(at)) & 0);
}

TEST(RegionDeathTest, OneByteBeyondEitherEndDies) {
  const Region region(8192);
  EXPECT_EXIT(write(region.end()), KilledBySignal(SIGSEGV), "");
  EXPECT_EXIT(write(region.begin() - 1), KilledBySignal(SIGSEGV), "");
  EXPECT_EXIT(read(region.end()), KilledBySignal(SIGSEGV), "");
  EXPECT_EXIT(read(region.begin() - 1), KilledBySignal(SIGSEGV), "");
}

TEST(RegionDeathTest, SoDoesOneMegabyteBeyond) {
  const Region region(4096);
  EXPECT_EXIT(write(region.end() + (1 << 20) - 1), KilledBySignal(SIGSEGV), "");
  EXPECT_EXIT(write(region.begin() - (1 << 20)), KilledBySignal(SIGSEGV), "");
}

TEST(Region, ConsistsOfPagesOfTheSystem) {
  EXPECT_EQ(page_bytes(), sysconf(_SC_PAGESIZE));
  EXPECT_EQ(whole_pages(0), 0);
  EXPECT_EQ(whole_pages(1), page_bytes());
  EXPECT_EQ(whole_pages(page_bytes()), page_bytes());
  EXPECT_EQ(whole_pages(page_bytes() + 1), 2 * page_bytes());
}

TEST(Region, EveryByteOfItIsAccessible) {
  const Region region(5000);
  EXPECT_EQ(region.bytes(), whole_pages(5000));
  fill_canary(region.begin(), region.bytes(), kSmallCanary);
  EXPECT_TRUE(all_canary(region.begin(), region.end(), kSmallCanary));
}

TEST(Region, KnowsItsAddressesAndItsGuards) {
  const Region region(4096), other(4096);
  EXPECT_TRUE(region.holds(region.begin()));
  EXPECT_TRUE(region.holds(region.end()));
  EXPECT_TRUE(region.holds(region.begin() - 1));
  EXPECT_FALSE(region.holds(nullptr));
  EXPECT_FALSE(region.holds(other.begin()));
}

TEST(Region, MovesItsMapping) {
  Region from(4096);
  std::byte* const begin = from.begin();
  const Region to(std::move(from));
  write(to.begin());
  EXPECT_EQ(to.begin(), begin);
  EXPECT_FALSE(from.holds(begin));
}

TEST(Region, StaysReadOnlyWhenItMoves) {
  Region from(4096);
  from.set_read_only(true);
  const Region to(std::move(from));
  EXPECT_TRUE(to.is_read_only());
  EXPECT_FALSE(from.is_read_only());
}

TEST(Canary, WhatIsAddedToAWrittenOneShows) {
  for (int number = 0; number < kDtypeCount; ++number) {
    const auto dtype = static_cast<Dtype>(number);
    if (info(dtype).family != DtypeFamily::kFloating) continue;
    const std::vector<std::byte> canary(item_size(dtype), kSmallCanary);
    for (const double added : {1.0, -1.0, 100.0}) {
      const double sum = to_double(dtype, canary.data()) + added;
      std::vector<std::byte> after(canary.size());
      convert(Dtype::kDouble, reinterpret_cast<const std::byte*>(&sum), dtype, after.data(), 1);
      EXPECT_NE(after, canary) << info(dtype).name << " " << added;
    }
  }
}

TEST(Canary, EveryChangedByteIsSeen) {
  const Region region(4096);
  fill_canary(region.begin(), region.bytes(), kCanary);
  for (const int length : {1, 2, 15, 16, 17, 256, 4096}) {
    for (const int at : {0, length / 2, length - 1}) {
      region.begin()[at] = std::byte{0};
      EXPECT_FALSE(all_canary(region.begin(), region.begin() + length, kCanary))
          << at << " of " << length;
      region.begin()[at] = kCanary;
    }
  }
  // All bytes alike, yet no canary; and nothing is intact.
  for (int i = 0; i < 4; ++i) region.begin()[i] = std::byte{7};
  EXPECT_FALSE(all_canary(region.begin(), region.begin() + 4, kCanary));
  EXPECT_TRUE(all_canary(region.begin(), region.begin(), kCanary));
}

}  // namespace
}  // namespace indexfuzz
