#include "memory/far_operands.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "../written_case.h"
#include "memory/arena.h"
#include "memory/region.h"

namespace indexfuzz {
namespace {

/// Each row of self lies 2^31 elements from the one before, in bytes.
constexpr std::int64_t kApart = kFarStride * 4;
constexpr std::string_view kFarSelf =
    "index_copy in-place dim=0\nself int32 (3, 2) slices=far\nindex int64 (1) fill=last\n"
    "source int32 (1, 2)\n";

std::int32_t number_at(const std::byte* place) {
  std::int32_t value = 0;
  std::memcpy(&value, place, sizeof value);
  return value;
}
void put(std::byte* place, std::int32_t value) {
  std::memcpy(place, &value, sizeof value);
}

TEST(FarOperands, LieApartForACallAndTogetherBehindIt) {
  Arena arena;
  arena.prepare(written(kFarSelf));
  const PlacedOperand near = arena.operands()[0];
  const PlacedOperand far = arena.lay_apart()[0];
  EXPECT_EQ(near.view.strides, (Dims{2, 1}));
  EXPECT_EQ(far.view.strides, (Dims{kFarStride, 1}));
  EXPECT_EQ(far.extent_bytes, 2 * kApart + 8);
  for (std::int64_t i = 0; i < 6; ++i)
    EXPECT_EQ(number_at(far.data + i / 2 * kApart + i % 2 * 4), number_at(near.data + i * 4));
  put(far.data + 2 * kApart + 4, 77);
  Observation seen;
  arena.bring_back(seen);
  EXPECT_EQ(number_at(near.data + 5 * 4), 77);
  EXPECT_EQ(seen.canary_bytes, 0);
  // What a later call reads there by mistake is no value of this one.
  EXPECT_TRUE(all_canary(far.data + kApart, far.data + kApart + 8, kLargeCanary));
}

TEST(FarOperands, OthersStayWhereTheyLie) {
  Arena arena;
  arena.prepare(written(kFarSelf));
  const auto apart = arena.lay_apart();
  EXPECT_NE(apart[0].data, arena.operands()[0].data);
  EXPECT_EQ(apart[1].data, arena.operands()[1].data);
  EXPECT_EQ(apart[2].data, arena.operands()[2].data);
  Observation seen;
  arena.bring_back(seen);
  arena.prepare(
      written("index_select functional\nself float32 (3, 2)\nindex int64 (1) fill=first\n"));
  EXPECT_EQ(arena.lay_apart().data(), arena.operands().data());
}

TEST(FarOperands, BytesBesideASliceAreNoticed) {
  for (const std::int64_t place : {std::int64_t{8}, kApart + 8, 2 * kApart + 4000}) {
    Arena arena;
    arena.prepare(written(kFarSelf));
    arena.lay_apart()[0].data[place] = std::byte{1};
    Observation seen;
    arena.bring_back(seen);
    EXPECT_EQ(seen.canary_bytes, 1);
    EXPECT_EQ(seen.canary_note, "bytes around slices of self were overwritten");
    // The next call finds none of it.
    arena.restore();
    arena.lay_apart();
    Observation later;
    arena.bring_back(later);
    EXPECT_EQ(later.canary_bytes, 0);
  }
}

TEST(FarOperands, AVectorMayBeReadFromTheLastElementOfASlice) {
  Arena arena;
  arena.prepare(
      written("index_select functional\nself float32 (3, 1024) slices=far\nindex int64 (1) "
              "fill=first\n"));
  const PlacedOperand far = arena.lay_apart()[0];
  // The first two slices, of a page each, are followed by more of the operand's own memory.
  for (const std::int64_t slice : {0, 1})
    EXPECT_TRUE(
        all_canary(far.data + slice * kApart + 4096, far.data + slice * kApart + 4160, kCanary));
  Observation seen;
  arena.bring_back(seen);
  EXPECT_EQ(seen.canary_bytes, 0);
}

TEST(FarOperands, WhatLiesBesideAnOutInItsStorageIsItsOwn) {
  Arena arena;
  arena.prepare(
      written("index_select out\nself float32 (3, 2)\nindex int64 (2) fill=first\n"
              "out float32 (2, 2) offset=5 slices=far\n"));
  const PlacedOperand out = arena.lay_apart()[2];
  EXPECT_EQ(out.storage + 5 * 4, out.data);
  out.storage[0] = std::byte{1};
  Observation seen;
  arena.bring_back(seen);
  EXPECT_EQ(seen.canary_bytes, 0);
}

TEST(FarOperands, WhatWasSeenOfThemLiesInTheArena) {
  Arena arena;
  arena.prepare(written(kFarSelf));
  const PlacedOperand far = arena.lay_apart()[0];
  Observation seen;
  seen.written.data = seen.written.storage = far.data;
  seen.written.strides = far.view.strides;
  seen.result.data = far.data + kApart + 4;
  seen.result.storage = far.data;
  seen.result.strides = {1};
  arena.bring_back(seen);
  const PlacedOperand& near = arena.operands()[0];
  EXPECT_EQ(seen.written.data, near.data);
  EXPECT_EQ(seen.written.storage, near.data);
  EXPECT_EQ(seen.written.strides, near.view.strides);
  EXPECT_EQ(seen.result.data, near.data + 3 * 4);
  EXPECT_EQ(seen.result.strides, (Dims{1}));
}

TEST(FarOperandsDeathTest, MemoryOfLargerSlicesBeforeIsGivenBack) {
  Arena arena;
  arena.prepare(
      written("index_select functional\nself float32 (2, 8192) slices=far\n"
              "index int64 (1) fill=last\n"));
  std::byte* const data = arena.lay_apart()[0].data;
  Observation seen;
  data[kApart + 8000] = std::byte{1};
  arena.bring_back(seen);
  arena.prepare(written(kFarSelf));
  EXPECT_EQ(arena.lay_apart()[0].data, data);
  EXPECT_TRUE(all_canary(data + kApart + 8, data + kApart + 4096, kLargeCanary));
  EXPECT_DEATH(data[kApart + 8000] = std::byte{1}, "");
}

TEST(FarOperandsDeathTest, SlicesOfACallBeforeAreNoMemory) {
  Arena arena;
  arena.prepare(written(kFarSelf));
  std::byte* const data = arena.lay_apart()[0].data;
  Observation seen;
  arena.bring_back(seen);
  arena.prepare(
      written("index_select functional\nself float64 (3, 2) slices=far\n"
              "index int64 (1) fill=last\n"));
  EXPECT_EQ(arena.lay_apart()[0].data, data);
  data[2 * kApart] = std::byte{1};
  // Where a slice of float32 lay.
  EXPECT_DEATH(data[kApart] = std::byte{1}, "");
}

TEST(FarOperandsDeathTest, BetweenTheSlicesIsNoMemory) {
  Arena arena;
  arena.prepare(written(kFarSelf));
  std::byte* const data = arena.lay_apart()[0].data;
  // Offsets of 32 bits that have become negative, or have lost their factor.
  for (const std::int64_t place : {-kApart, -kApart / 2, kApart / 4, kApart - 8192}) {
    EXPECT_EQ(arena.operand_holding(data + place), 0);
    EXPECT_DEATH(data[place] = std::byte{1}, "");
  }
  EXPECT_EQ(arena.operand_holding(arena.operands()[1].data), 1);
}

TEST(FarOperands, ATableIsAccessibleFromItsFirstElementOn) {
  Arena arena;
  arena.prepare(
      written("index_select functional\nself int32 (3, 2) slices=last\nindex int64 (1) "
              "fill=last\n"));
  const PlacedOperand near = arena.operands()[0];
  const PlacedOperand table = arena.lay_apart()[0];
  EXPECT_EQ(table.slices_in_front, std::int64_t{1} << 30);
  EXPECT_EQ(table.bytes_in_front, std::int64_t{4} << 31);
  EXPECT_EQ(table.view.strides, near.view.strides);
  EXPECT_EQ(std::memcmp(table.data, near.data, 6 * 4), 0);
  // A kernel may look at all elements, and write them as they were.
  volatile std::byte* const first = table.data - table.bytes_in_front;
  for (const std::int64_t place :
       {std::int64_t{0}, std::int64_t{1} << 32, table.bytes_in_front - 4})
    first[place] = first[place];
  EXPECT_EQ(arena.operand_holding(table.data - table.bytes_in_front), 0);
  EXPECT_EQ(arena.operand_holding(table.data - 2 * table.bytes_in_front), 0);
  Observation seen;
  arena.bring_back(seen);
  EXPECT_EQ(seen.canary_bytes, 0);
}

TEST(FarOperands, ATableIsAlignedAsNewMemoryIs) {
  for (const std::string_view self :
       {"int8 (3, 3)", "bool (5)", "int16 (2, 7)", "float64 (1, 11)"}) {
    Arena arena;
    arena.prepare(written("index_select functional\nself " + std::string(self) +
                          " slices=far_last\nindex int64 (1) fill=first\n"));
    const PlacedOperand table = arena.lay_apart()[0];
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(table.data - table.bytes_in_front) % 512, 0u);
    EXPECT_GE(table.slices_in_front * table.view.strides[0], std::int64_t{1} << 32);
  }
}

TEST(FarOperands, InFrontOfATableNothingIsAccessible) {
  Arena arena;
  arena.prepare(
      written("index_select functional\nself int32 (3, 2) slices=last\nindex int64 (1) "
              "fill=last\n"));
  const PlacedOperand table = arena.lay_apart()[0];
  // Where an offset leads that was computed in 32 bits and became negative.
  EXPECT_DEATH(
      static_cast<void>(*static_cast<volatile std::byte*>(table.data - 2 * table.bytes_in_front)),
      "");
}

TEST(FarOperands, WhatACallChangesInATableComesBack) {
  Arena arena;
  arena.prepare(
      written("index_copy in-place dim=0\nself int32 (3, 2) slices=far_last\nindex int64 (1) "
              "fill=last\nsource int32 (1, 2)\n"));
  const PlacedOperand table = arena.lay_apart()[0];
  put(table.data + 4 * 4, 77);
  table.data[6 * 4] = std::byte{1};  // beside it
  Observation seen;
  arena.bring_back(seen);
  EXPECT_EQ(number_at(arena.operands()[0].data + 4 * 4), 77);
  EXPECT_EQ(seen.canary_bytes, 1);
}

TEST(FarOperands, OnlyTheOracleReadsTheIndicesOfATableAsTheCaseHasThem) {
  Arena arena;
  arena.prepare(
      written("index_select functional\nself int32 (3, 2) slices=last\nindex int64 (1) "
              "fill=last\n"));
  const auto index = [](const std::byte* place) {
    std::int64_t value = 0;
    std::memcpy(&value, place, sizeof value);
    return value;
  };
  EXPECT_EQ(index(arena.oracle_input().operands[1].data), 2);
  EXPECT_EQ(index(arena.operands()[1].data), (std::int64_t{1} << 30) + 2);
  EXPECT_EQ(index(arena.image(1)), (std::int64_t{1} << 30) + 2);
}

}  // namespace
}  // namespace indexfuzz
