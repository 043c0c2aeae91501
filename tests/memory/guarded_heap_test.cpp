#include "memory/guarded_heap.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <new>
#include <vector>

namespace indexfuzz {
namespace {

class GuardedHeapTest : public ::testing::Test {
 protected:
  GuardedHeap& heap = GuardedHeap::instance();
  void SetUp() override { heap.take_damage(); }
  std::byte* allocate(std::size_t bytes) { return static_cast<std::byte*>(heap.allocate(bytes)); }
};
using GuardedHeapDeathTest = GuardedHeapTest;

TEST_F(GuardedHeapTest, EveryAllocationIsAlignedTo64BytesAndUsableToItsEnd) {
  for (const std::size_t bytes : {1, 24, 63, 64, 65, 4096, 16000, 20000, 600000, 9000000}) {
    std::byte* const data = allocate(bytes);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(data) % 64, 0u) << bytes;
    std::memset(data, 1, bytes);
    EXPECT_EQ(heap.allocation_at(data), static_cast<std::int64_t>(bytes));
    heap.release(data);
  }
  EXPECT_EQ(heap.take_damage().bytes, 0);
}

TEST_F(GuardedHeapTest, AnAllocationMayBeginAtTheGuardPage) {
  heap.set_flush_left(true);
  std::byte* const data = allocate(100);
  heap.set_flush_left(false);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(data) % 4096, 0u);
  std::memset(data, 1, 100);
  EXPECT_EQ(heap.take_damage().bytes, 0);
  data[100] = std::byte{0};
  heap.release(data);
  EXPECT_EQ(heap.take_damage().note,
            "1 bytes overwritten past the end of an allocation of 100 bytes");
  EXPECT_TRUE(heap.idle_intact());
}

TEST_F(GuardedHeapTest, WhatIsKeptForLongIsLookedAtOnceABatch) {
  std::vector<std::byte*> kept;
  for (int i = 0; i < 100; ++i) kept.push_back(allocate(64));
  kept.front()[64 - 65] = std::byte{0};
  heap.check_live();
  EXPECT_EQ(heap.take_damage().bytes, 0);
  EXPECT_FALSE(heap.idle_intact());
  EXPECT_TRUE(heap.idle_intact());
  for (std::byte* data : kept) heap.release(data);
}

TEST_F(GuardedHeapTest, WritesFarFromALargeAllocationOrAfterItsEndAreNoticedOnceABatch) {
  for (const std::ptrdiff_t place : {std::ptrdiff_t{-1024}, std::ptrdiff_t{100}}) {
    std::byte* const data = allocate(20'000);
    EXPECT_TRUE(heap.idle_intact());
    if (place < 0) data[place] = std::byte{0};
    heap.release(data);
    if (place >= 0) data[place] = std::byte{0};
    EXPECT_EQ(heap.take_damage().bytes, 0);
    EXPECT_FALSE(heap.idle_intact());
    EXPECT_TRUE(heap.idle_intact());
  }
}

TEST_F(GuardedHeapTest, ZeroBytesAreNullAndTooManyThrow) {
  EXPECT_EQ(heap.allocate(0), nullptr);
  heap.release(nullptr);
  EXPECT_THROW(heap.allocate(GuardedHeap::kMaxAllocation + 1), std::bad_alloc);
}

TEST_F(GuardedHeapTest, FreeMemoryHoldsCanaries) {
  std::byte* data = allocate(100);
  std::memset(data, 0, 100);
  heap.release(data);
  std::byte* const again = allocate(100);
  EXPECT_EQ(again, data);
  EXPECT_TRUE(all_canary(again, again + 100, kSmallCanary));
  heap.release(again);
}

TEST_F(GuardedHeapTest, WhatIsFreedMayKeepItsContentsForACall) {
  std::byte* const before = allocate(100);
  heap.release(before);
  heap.set_contents(GuardedHeap::Contents::kHarmless);
  std::byte* const data = allocate(100);
  EXPECT_TRUE(all_canary(data, data + 100, std::byte{}));
  std::memset(data, 7, 100);
  heap.release(data);
  std::byte* const other = allocate(100);
  EXPECT_NE(other, data) << "it must not serve another allocation";
  EXPECT_TRUE(all_canary(data, data + 100, std::byte{7}));
  heap.release(other);
  heap.set_contents(GuardedHeap::Contents::kCanaries);
  EXPECT_TRUE(all_canary(data, data + 100, kSmallCanary));
  EXPECT_TRUE(heap.idle_intact());
}

TEST_F(GuardedHeapTest, DamageBehindIsNoticedWhenReleased) {
  std::byte* const data = allocate(24);
  std::memset(data + 24, 0, 4);
  heap.release(data);
  const GuardedHeap::Damage damage = heap.take_damage();
  EXPECT_EQ(damage.bytes, 4);
  EXPECT_EQ(damage.note, "4 bytes overwritten past the end of an allocation of 24 bytes");
  EXPECT_EQ(heap.take_damage().bytes, 0);
}

TEST_F(GuardedHeapTest, DamageInFrontIsNoticedWhileAlive) {
  std::byte* const data = allocate(64);
  data[-1] = std::byte{0};
  data[-256] = std::byte{0};
  heap.check_live();
  const GuardedHeap::Damage damage = heap.take_damage();
  EXPECT_EQ(damage.bytes, 2);
  EXPECT_EQ(damage.note, "2 bytes overwritten in front of an allocation of 64 bytes");
  // It is mended, so that one write is reported once.
  heap.check_live();
  heap.release(data);
  EXPECT_EQ(heap.take_damage().bytes, 0);
}

TEST_F(GuardedHeapTest, TheNoteIsOfTheFirstDamageAndTheCountOfAll) {
  std::byte* const first = allocate(8);
  std::byte* const second = allocate(16);
  first[8] = second[16] = std::byte{0};
  heap.release(first);
  heap.release(second);
  const GuardedHeap::Damage damage = heap.take_damage();
  EXPECT_EQ(damage.bytes, 2);
  EXPECT_THAT(damage.note, ::testing::HasSubstr("allocation of 8 bytes"));
}

TEST_F(GuardedHeapTest, ServesAThousandTemporariesAtOnceAndAgain) {
  const std::int64_t before = heap.live_allocations();
  std::vector<std::byte*> first, second;
  for (std::vector<std::byte*>* list : {&first, &second}) {
    for (std::size_t i = 0; i < 1000; ++i) {
      list->push_back(allocate(1 + i % 300));
      std::memset(list->back(), static_cast<int>(i), 1 + i % 300);
    }
    EXPECT_EQ(heap.live_allocations(), before + 1000);
    for (std::size_t i = 0; i < 1000; ++i) EXPECT_EQ((*list)[i][0], static_cast<std::byte>(i));
    for (std::byte* data : *list) heap.release(data);
  }
  EXPECT_EQ(heap.live_allocations(), before);
  EXPECT_EQ(heap.take_damage().bytes, 0);
  // Regions are used again: no second thousand was mapped.
  for (std::byte* data : second) {
    EXPECT_TRUE(std::any_of(first.begin(), first.end(),
                            [&](std::byte* old) { return std::abs(old - data) < 16384; }));
  }
}

/// Of private writable memory, as RLIMIT_DATA counts it.
std::int64_t private_bytes() {
  std::ifstream statm("/proc/self/statm");
  std::int64_t size = 0, resident = 0, shared = 0, text = 0, library = 0, data = 0;
  statm >> size >> resident >> shared >> text >> library >> data;
  return data * sysconf(_SC_PAGESIZE);
}

TEST_F(GuardedHeapTest, OfMoreThanASystemHasRegionsForTheSmallOnesArePlain) {
  const std::int64_t before = heap.live_allocations();
  std::vector<std::byte*> all;
  for (int i = 0; i < 70'000; ++i) {
    all.push_back(allocate(100));
    ASSERT_EQ(reinterpret_cast<std::uintptr_t>(all.back()) % 64, 0u);
    std::memset(all.back(), 1, 100);
  }
  all.push_back(allocate(20'000));  // still between guard pages
  EXPECT_EQ(heap.allocation_at(all.back()), 20'000);
  EXPECT_EQ(heap.live_allocations() - before, 70'001);
  for (std::byte* const data : all) heap.release(data);
  EXPECT_EQ(heap.live_allocations(), before);
  EXPECT_EQ(heap.take_damage().bytes, 0);
}

TEST_F(GuardedHeapTest, WhatIsKeptTakesHardlyMoreThanTwiceItsBytes) {
  const std::int64_t before = private_bytes();
  std::vector<std::byte*> kept;
  for (int i = 0; i < 1000; ++i) kept.push_back(allocate(20000));
  EXPECT_LT(private_bytes() - before, 1000 * 50'000);
  for (std::byte* const data : kept) heap.release(data);
}

TEST_F(GuardedHeapDeathTest, TheAlignedEndIsAPage) {
  std::byte* const data = allocate(64);
  EXPECT_EXIT(*const_cast<volatile std::byte*>(data + 64) = std::byte{1},
              ::testing::KilledBySignal(SIGSEGV), "");
  heap.release(data);
}

TEST_F(GuardedHeapDeathTest, MemoryIsFreedOnce) {
  std::byte* const kept = allocate(64);
  std::byte* const data = allocate(64);
  heap.release(data);
  EXPECT_EXIT(heap.release(data), ::testing::KilledBySignal(SIGABRT), "memory was freed twice");
  heap.set_contents(GuardedHeap::Contents::kHarmless);
  heap.release(kept);
  EXPECT_EXIT(heap.release(kept), ::testing::KilledBySignal(SIGABRT), "memory was freed twice");
  heap.set_contents(GuardedHeap::Contents::kCanaries);
}

TEST_F(GuardedHeapTest, WhatAnotherAllocatorGaveIsFreedAsPyTorchWould) {
  const std::int64_t before = heap.live_allocations();
  heap.release(std::malloc(100));
  EXPECT_EQ(heap.live_allocations(), before);
}

}  // namespace
}  // namespace indexfuzz
