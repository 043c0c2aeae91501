#include "memory/arena.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>

#include "../written_case.h"
#include "case/strided_copy.h"
#include "ops/definition/illegal_rule.h"

namespace indexfuzz {
namespace {

using testing::ElementsAre;

constexpr std::string_view kGaps =
    "scatter_add in-place\nself int32 (2, 2) step=(1, 2) guard=right\n"
    "index int64 (2, 2) fill=last\nsrc int32 (2, 2)\n";

std::vector<double> view_of(const Arena& arena, int k, const std::byte* view) {
  const Operand& operand = operand_at(arena.current(), k);
  const PlacedOperand& placed = arena.operands()[static_cast<std::size_t>(k)];
  std::vector<std::byte> dense(static_cast<std::size_t>(placed.count) * item_size(operand.dtype));
  gather_elements(operand.shape, placed.view.strides, item_size(operand.dtype), view, dense.data());
  return numbers(operand.dtype, dense);
}

TEST(Arena, OperandsHoldTheirFillsAndTheImageTheResult) {
  Arena arena;
  arena.prepare(written(kGaps));
  const PlacedOperand& self = arena.operands()[0];
  EXPECT_EQ(self.view.strides, (Dims{3, 2}));
  EXPECT_EQ(view_of(arena, 0, self.data), (std::vector<double>{1, 2, 3, 4}));
  EXPECT_EQ(view_of(arena, 0, arena.image(0)), (std::vector<double>{1, 2, 3 - 1 - 3, 4 - 2 - 4}));
  EXPECT_EQ(view_of(arena, 2, arena.operands()[2].data), (std::vector<double>{-1, -2, -3, -4}));
  for (int k = 1; k < 3; ++k) {
    const PlacedOperand& placed = arena.operands()[static_cast<std::size_t>(k)];
    EXPECT_EQ(
        std::memcmp(arena.image(k), placed.data, static_cast<std::size_t>(placed.extent_bytes)), 0);
  }
}

TEST(Arena, TheExtentLiesAgainstItsGuard) {
  Arena arena;
  arena.prepare(written(kGaps));
  const auto operands = arena.operands();
  EXPECT_EQ(operands[0].data + operands[0].extent_bytes, operands[0].region->end());
  EXPECT_EQ(operands[1].data, operands[1].region->begin());
}

/// Five elements of float32 end there, and their storage of 16 begins at an aligned address.
void expect_five_at_the_page(const PlacedOperand& placed) {
  EXPECT_EQ(placed.view.storage_offset, 16 - 5);
  EXPECT_EQ(placed.data + 5 * 4, placed.region->end());
  EXPECT_EQ(placed.storage, placed.region->end() - 16 * 4);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(placed.storage) % 64, 0u);
}

TEST(Arena, AViewAtTheRightHasTheStorageOffsetThatItsPlaceTakes) {
  Arena arena;
  arena.prepare(
      written("index_select functional\nself float32 (5) offset=3 guard=right\n"
              "index int64 (0) fill=first guard=right\n"));
  expect_five_at_the_page(arena.operands()[0]);
  EXPECT_EQ(arena.operands()[1].view.storage_offset, 0);
}

TEST(Arena, AnOutAtTheRightEndsThereWithItsWholeStorage) {
  Arena arena;
  arena.prepare(
      written("index_select out\nself float32 (5)\nindex int64 (2) fill=first\n"
              "out float32 (2) after=(3) offset=1 guard=right\n"));
  expect_five_at_the_page(arena.operands()[2]);
}

TEST(Arena, AViewAtTheLeftKeepsItsStoragesAlignment) {
  Arena arena;
  arena.prepare(
      written("index_select functional\nself float32 (4, 4) offset=17\n"
              "index int64 (2) offset=9 fill=first\n"));
  const PlacedOperand& self = arena.operands()[0];
  EXPECT_EQ(self.data - self.region->begin(), 17 * 4 % 64);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(self.storage) % 64, 0u);
  EXPECT_TRUE(all_canary(self.region->begin(), self.data, kCanary));
  EXPECT_EQ(arena.operands()[1].data - arena.operands()[1].region->begin(), 9 * 8 % 64);
}

TEST(Arena, GapsAndMarginsAreCanaries) {
  Arena arena;
  arena.prepare(written(kGaps));
  const PlacedOperand& self = arena.operands()[0];
  ASSERT_EQ(self.extent_bytes, 6 * 4);
  EXPECT_TRUE(all_canary(self.data + 4, self.data + 8, kSmallCanary));
  EXPECT_TRUE(all_canary(arena.image(0) + 4, arena.image(0) + 8, kSmallCanary));
  EXPECT_TRUE(all_canary(self.region->begin(), self.data, kSmallCanary));
  EXPECT_TRUE(arena.canaries_intact());
}

TEST(Arena, WhatIsWrittenHasItsOwnCanaries) {
  const auto canaries = [](const char* text) {
    Arena arena;
    arena.prepare(written(text));
    std::vector<std::byte> around;
    for (const PlacedOperand& placed : arena.operands()) around.push_back(placed.region->canary());
    return around;
  };
  EXPECT_THAT(canaries("index_select functional\nself float32 (3)\nindex int64 (1) fill=first\n"),
              ElementsAre(kCanary, kCanary));
  EXPECT_THAT(canaries("index_select out\nself float32 (3)\nindex int64 (1) fill=first\n"
                       "out float32 (1)\n"),
              ElementsAre(kCanary, kCanary, kLargeCanary));
  EXPECT_THAT(canaries(kGaps.data()), ElementsAre(kSmallCanary, kCanary, kCanary));
}

TEST(Arena, NoByteOutsideAnExtentChangesUnseen) {
  Arena arena;
  arena.prepare(written(kGaps));
  for (const PlacedOperand& placed : arena.operands()) {
    std::byte* const far =
        placed.data == placed.region->begin() ? placed.region->end() - 1 : placed.region->begin();
    *far = std::byte{0};
    EXPECT_FALSE(arena.canaries_intact());
    *far = placed.region->canary();
  }
  EXPECT_TRUE(arena.canaries_intact());
}

TEST(Arena, RestoreUndoesWhatACallWrote) {
  Arena arena;
  arena.prepare(written(kGaps));
  const PlacedOperand& self = arena.operands()[0];
  std::memset(self.data, 0, static_cast<std::size_t>(self.extent_bytes));
  arena.restore();
  EXPECT_EQ(view_of(arena, 0, self.data), (std::vector<double>{1, 2, 3, 4}));
  EXPECT_TRUE(all_canary(self.data + 4, self.data + 8, kSmallCanary));
}

TEST(Arena, AfterSuspicionRestoreMakesEverythingNew) {
  Arena arena;
  arena.prepare(written(kGaps));
  for (const PlacedOperand& placed : arena.operands()) {
    std::memset(placed.region->begin(), 0, static_cast<std::size_t>(placed.region->bytes()));
  }
  arena.mark_dirty();
  arena.restore();
  EXPECT_TRUE(arena.canaries_intact());
  EXPECT_EQ(view_of(arena, 0, arena.operands()[0].data), (std::vector<double>{1, 2, 3, 4}));
  EXPECT_EQ(view_of(arena, 1, arena.operands()[1].data), (std::vector<double>{1, 1, 1, 1}));
  EXPECT_EQ(view_of(arena, 2, arena.operands()[2].data), (std::vector<double>{-1, -2, -3, -4}));
}

TEST(Arena, OfAnOutThatIsToBeResizedAllStorageIsMadeNew) {
  Arena arena;
  arena.prepare(
      written("index_select out\nself float32 (5)\nindex int64 (2) fill=first\n"
              "out float32 (3) after=(3) offset=1\n"));
  const PlacedOperand& out = arena.operands()[2];
  const auto expect_new = [&] {
    EXPECT_EQ(view_of(arena, 2, out.data), (std::vector<double>{-1, -2, -3}));
    EXPECT_TRUE(all_canary(out.storage, out.data, kLargeCanary));
    EXPECT_TRUE(all_canary(out.data + out.extent_bytes, out.region->end(), kLargeCanary));
  };
  expect_new();
  std::memset(out.storage, 0, static_cast<std::size_t>(out.storage_bytes));
  EXPECT_TRUE(arena.canaries_intact());
  arena.restore();
  expect_new();
  std::memset(out.storage, 0, static_cast<std::size_t>(out.storage_bytes));
  arena.prepare(written("index_select functional\nself int8 (1)\nindex int64 (1) fill=first\n"));
  EXPECT_TRUE(arena.canaries_intact());
}

TEST(Arena, HoldsTheLargestLegalOperand) {
  Arena arena;
  for (const char* guard : {"", " guard=right"}) {
    arena.prepare(written("index_select functional\nself complex128 (1572864)" +
                          std::string(guard) + "\nindex int64 (1) fill=first\n"));
    const PlacedOperand& self = arena.operands()[0];
    EXPECT_GE(self.data, self.region->begin());
    EXPECT_LE(self.data + self.extent_bytes, self.region->end());
  }
}

TEST(Arena, AnotherCaseFindsCleanMemory) {
  Arena arena;
  arena.prepare(written(kGaps));
  arena.prepare(written("index_select functional\nself int8 (1)\nindex int64 (1) fill=first\n"));
  EXPECT_TRUE(arena.canaries_intact());
  EXPECT_EQ(view_of(arena, 0, arena.operands()[0].data), (std::vector<double>{1}));
}

TEST(Arena, LargeOperandsHaveGuardsAndCanariesToo) {
  Arena arena;
  arena.prepare(
      written("index_select functional\nself float64 (100000) guard=right\n"
              "index int64 (2) fill=last\n"));
  const PlacedOperand& self = arena.operands()[0];
  EXPECT_EQ(self.data + self.extent_bytes, self.region->end());
  self.data[-1] = std::byte{0};
  arena.prepare(written("index_select functional\nself int8 (1)\nindex int64 (1) fill=first\n"));
  EXPECT_FALSE(arena.canaries_intact());
}

TEST(ArenaDeathTest, OneByteBehindAnOperandThatEndsAtItsGuardDies) {
  Arena arena;
  arena.prepare(
      written("index_select functional\nself uint8 (64) guard=right\nindex int64 (1) fill=last\n"));
  std::byte* const behind = arena.operands()[0].data + 64;
  EXPECT_DEATH(*const_cast<volatile std::byte*>(behind) = std::byte{1}, "");
}

TEST(Arena, AnOutThatFitsExpectsTheResultAndOneToBeResizedNothing) {
  Arena arena;
  arena.prepare(
      written("index_select out\nself float32 (2)\nindex int64 (1) fill=last\nout float32 (1)\n"));
  EXPECT_EQ(view_of(arena, 2, arena.image(2)), (std::vector<double>{2}));
  arena.prepare(
      written("index_select out\nself float32 (2)\nindex int64 (1) fill=last\nout float32 (0)\n"));
  EXPECT_EQ(arena.operands()[2].count, 0);
  EXPECT_EQ(to_double(Dtype::kFloat, arena.expected()), 2);
}

TEST(Arena, AnIllegalCaseHasNoResult) {
  Case c = written(
      "index_select functional breaks=index_above\nself float32 (2)\nindex int64 (3) fill=first\n");
  ASSERT_TRUE(apply_rule(c));
  Arena arena;
  arena.prepare(written(kGaps));
  EXPECT_FALSE(arena.result().shape.empty());
  arena.prepare(c);
  EXPECT_TRUE(arena.must_refuse());
  EXPECT_TRUE(arena.result().shape.empty());
  EXPECT_EQ(arena.expected(), nullptr);
  EXPECT_EQ(view_of(arena, 1, arena.operands()[1].data), (std::vector<double>{0, 0, 2}));
}

TEST(Arena, OperandsThatShareMemoryBeginAtOneElement) {
  Case c = written(
      "scatter_add in-place breaks=self_is_src\nself int64 (3)\nindex int64 (2) fill=first\nsrc "
      "int64 (2)\n");
  ASSERT_TRUE(apply_rule(c));
  Arena arena;
  arena.prepare(c);
  EXPECT_EQ(arena.operands()[2].data, arena.operands()[0].data);
  EXPECT_EQ(view_of(arena, 0, arena.operands()[0].data), (std::vector<double>{1, 2, 3}));
  EXPECT_TRUE(arena.canaries_intact());
}

TEST(Arena, NothingIsLeftOfOperandsThatShareMemory) {
  for (const char* const text :
       {"scatter_add in-place breaks=self_is_src\nself int64 (3)\nindex int64 (2) fill=first\n"
        "src int64 (2)\n",
        "index_select out dim=0 breaks=out_is_self\nself int64 (3)\nindex int64 (2) fill=first\n"
        "out int64 (2)\n"}) {
    Case c = written(text);
    ASSERT_TRUE(apply_rule(c));
    Arena arena;
    arena.prepare(c);
    arena.prepare(written(kGaps));
    EXPECT_TRUE(arena.canaries_intact()) << text;
  }
}

TEST(Arena, KnowsWhoseGuardAnAddressIs) {
  Arena arena;
  arena.prepare(written(kGaps));
  for (int k = 0; k < 3; ++k) {
    const Region& region = *arena.operands()[static_cast<std::size_t>(k)].region;
    EXPECT_EQ(arena.operand_holding(region.end()), k);
    EXPECT_EQ(arena.operand_holding(region.begin() - 1), k);
  }
  EXPECT_EQ(arena.operand_holding(&arena), -1);
}

/// Whether a write of ours would be let through, told by a system call, which does not die of it.
bool is_writable(std::byte* at) {
  int ends[2];
  if (pipe(ends) != 0) return false;
  const bool sent = write(ends[1], at, 1) == 1;
  const bool received = read(ends[0], at, 1) == 1;
  close(ends[0]);
  close(ends[1]);
  return sent && received;
}

TEST(Arena, ReadOnlyInputsAreAllThatTheCallDoesNotWrite) {
  Arena arena;
  arena.prepare(written(kGaps));
  const auto writable = [&] {
    std::vector<bool> all;
    for (const PlacedOperand& placed : arena.operands()) {
      all.push_back(is_writable(placed.data));
      EXPECT_EQ(arena.is_read_only(placed.data), !all.back());
      EXPECT_FALSE(arena.is_read_only(placed.region->end()));
    }
    return all;
  };
  EXPECT_EQ(writable(), (std::vector<bool>{true, true, true}));
  arena.set_inputs_read_only(true);
  EXPECT_EQ(writable(), (std::vector<bool>{true, false, false}));
  arena.set_inputs_read_only(false);
  EXPECT_EQ(writable(), (std::vector<bool>{true, true, true}));
}

TEST(Arena, AnInputInWrittenMemoryIsNotReadOnly) {
  // In the first the input lies in the memory that is written, in the second it is the other way.
  Case in_place = written(
      "scatter_add in-place breaks=self_is_src\nself int64 (3)\nindex int64 (2) fill=first\nsrc "
      "int64 (2)\n");
  Case out = written(
      "index_select out dim=0 breaks=out_is_self\nself int64 (3)\nindex int64 (2) fill=first\nout "
      "int64 (2)\n");
  for (Case* const c : {&in_place, &out}) {
    ASSERT_TRUE(apply_rule(*c));
    Arena arena;
    arena.prepare(*c);
    arena.set_inputs_read_only(true);
    EXPECT_TRUE(is_writable(arena.operands()[0].data));
    EXPECT_FALSE(is_writable(arena.operands()[1].data));
    arena.set_inputs_read_only(false);
  }
}

}  // namespace
}  // namespace indexfuzz
