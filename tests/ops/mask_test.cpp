// Masks, and operands of any dtype that are filled as masks are.

#include "ops/families/mask.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "../written_case.h"

namespace indexfuzz {
namespace {

using ::testing::ElementsAre;

bool is_set(Dtype dtype, const std::vector<std::byte>& element) {
  bool set = false;
  with_truths(dtype, element.data(), [&](auto is_set) { set = is_set(0); });
  return set;
}

TEST(IsSet, OnlyZerosAreNot) {
  for (int d = 0; d < kDtypeCount; ++d) {
    const auto dtype = static_cast<Dtype>(d);
    std::vector<std::byte> element(item_size(dtype));
    EXPECT_FALSE(is_set(dtype, element)) << info(dtype).name;
    for (std::size_t at = 0; at < element.size(); ++at) {
      std::ranges::fill(element, std::byte{0});
      // The lowest bit of a byte: the last bit of a denormal, or one of any other number.
      element[at] = std::byte{1};
      EXPECT_TRUE(is_set(dtype, element)) << info(dtype).name << " byte " << at;
      element[at] = std::byte{0x80};
      const bool sign = is_floating_or_complex(dtype) && !is_fnuz(dtype) &&
                        (at + 1) % item_size(component(dtype)) == 0;
      EXPECT_NE(is_set(dtype, element), sign) << info(dtype).name << " byte " << at;
    }
    std::ranges::fill(element, std::byte{0xFF});
    EXPECT_TRUE(is_set(dtype, element)) << info(dtype).name;
  }
}

TEST(IsSet, KnowsSpecialNumbers) {
  EXPECT_FALSE(is_set(Dtype::kDouble, bytes_of<double>({-0.0})));
  EXPECT_TRUE(
      is_set(Dtype::kDouble, bytes_of<double>({std::numeric_limits<double>::denorm_min()})));
  EXPECT_TRUE(is_set(Dtype::kFloat, bytes_of<float>({std::numeric_limits<float>::quiet_NaN()})));
  EXPECT_TRUE(is_set(Dtype::kFloat, bytes_of<float>({-std::numeric_limits<float>::infinity()})));
  EXPECT_FALSE(is_set(Dtype::kHalf, bytes_of<std::uint16_t>({0x8000})));
  EXPECT_TRUE(is_set(Dtype::kHalf, bytes_of<std::uint16_t>({0x8001})));
  EXPECT_FALSE(is_set(Dtype::kFloat8E5M2, bytes_of<std::uint8_t>({0x80})));
  EXPECT_TRUE(is_set(Dtype::kFloat8E4M3FN, bytes_of<std::uint8_t>({0x81})));
  EXPECT_FALSE(is_set(Dtype::kComplexFloat, bytes_of<float>({-0.0f, -0.0f})));
  EXPECT_TRUE(is_set(Dtype::kComplexFloat, bytes_of<float>({-0.0f, 1e-45f})));
  EXPECT_TRUE(is_set(Dtype::kInt8, bytes_of<std::int8_t>({-128})));
  EXPECT_TRUE(is_set(Dtype::kUInt16, bytes_of<std::uint16_t>({0x8000})));
}

/// self of a nonzero, which takes every dtype.
Operand settled(std::string_view self, const Limits& limits = {}) {
  Operand mask = written("nonzero functional\nself " + std::string(self) + "\n").operands[0];
  settle_mask(mask, limits);
  return mask;
}

TEST(SetElements, CountsRepeatedOnesAsOftenAsTheyOccur) {
  EXPECT_EQ(set_elements(settled("bool (2, 3) fill=mask_front popcount=4")), 4);
  EXPECT_EQ(set_elements(settled("bool (2, 3) fill=mask_front repeats=(0) popcount=2")), 4);
  EXPECT_EQ(set_elements(settled("bool (2, 3) fill=mask_front repeats=(0, 1) popcount=1")), 6);
  EXPECT_EQ(set_elements(settled("bool () fill=mask_front popcount=1")), 1);
  EXPECT_EQ(set_elements(settled("bool () fill=mask_front")), 0);
  EXPECT_EQ(set_elements(settled("bool (2, 0) fill=mask_front")), 0);
  EXPECT_EQ(set_elements(settled("bool (0, 3) fill=mask_front repeats=(0)")), 0);
}

TEST(SettleMask, BringsFillLayoutAndPopcountTogether) {
  Operand mask;
  mask.dtype = Dtype::kBool;
  mask.shape = {2, 3};
  mask.layout = contiguous_layout(2);
  mask.fill = {FillKind::kRandom1, Negatives::kAll, 0, 7, 6};
  settle_mask(mask, {});
  EXPECT_EQ(family(mask.fill.kind), FillFamily::kMask);
  EXPECT_EQ(mask.fill.negatives, Negatives::kNone);
  EXPECT_EQ(mask.fill.popcount, 6u);
  mask.fill.popcount = 8;
  settle_mask(mask, {});
  EXPECT_EQ(mask.fill.popcount, 1u);  // 0 to 6 are possible

  // An expanded dimension repeats, which leaves 0 to 3.
  mask.fill.popcount = 6;
  mask.layout.dims[0].expanded = true;
  settle_mask(mask, {});
  EXPECT_EQ(mask.fill.repeats, 1);
  EXPECT_EQ(mask.fill.popcount, 2u);
  EXPECT_EQ(set_elements(mask), 4);

  // A mask never slides.
  mask.layout = contiguous_layout(2);
  mask.layout.dims[0].slides = true;
  settle_mask(mask, {});
  EXPECT_FALSE(has_sliding(mask.layout));
}

TEST(MaskFills, SetAsManyElementsOfAnyDtypeAsTheySay) {
  for (int d = 0; d < kDtypeCount; ++d) {
    const auto dtype = static_cast<Dtype>(d);
    for (const std::string_view rest :
         {"(7) fill=mask_front popcount=5", "(7) fill=mask_mixed1 popcount=3",
          "(3, 5) fill=mask_spread1 repeats=(0) popcount=2",
          "(3, 5) expanded=(1) fill=mask_back repeats=(1) popcount=2"}) {
      for (const int seed : {0, 1, 2, 3, 5, 7, 9}) {
        const Case c = written("nonzero functional\nself " + std::string(info(dtype).name) + " " +
                               std::string(rest) + " seed=" + std::to_string(seed) + "\n");
        const std::vector<std::byte> bytes = expectation(c).operands[0];
        std::int64_t set = 0;
        with_truths(dtype, bytes.data(), [&](auto is_set) {
          for (std::int64_t i = 0; i < numel(c.operands[0].shape); ++i) set += is_set(i);
        });
        ASSERT_EQ(set, set_elements(c.operands[0])) << to_text(c);
      }
    }
  }
}

/// self of a nonzero, by elements of one size.
template <typename T>
std::vector<T> self_of(std::string_view self) {
  return bits_of<T>(
      expectation(written("nonzero functional\nself " + std::string(self) + "\n")).operands[0]);
}

TEST(MaskFills, OfOtherDtypesAreFrozen) {
  EXPECT_THAT(self_of<float>("float32 (4) fill=mask_front popcount=2 seed=2"),
              ElementsAre(1, 1, 0, 0));
  EXPECT_THAT(self_of<float>("complex64 (2) fill=mask_front popcount=1"), ElementsAre(1, 0, 0, 0));
  EXPECT_THAT(self_of<std::int16_t>("int16 (4) fill=mask_front popcount=3 seed=3"),
              ElementsAre(-5376, 228, -7936, 0));
  EXPECT_THAT(
      self_of<std::uint32_t>("float32 (6) fill=mask_front popcount=4 seed=3"),
      ElementsAre(0x2F000000u, 0x00570000u, 0x46000000u, 0xFFFFFFFFu, 0x80000000u, 0x80000000u));
  EXPECT_THAT(self_of<std::uint16_t>("complex32 (4) fill=mask_front popcount=2 seed=3"),
              ElementsAre(0x8000, 0x2F00, 0, 0x57, 0x8000, 0, 0, 0x8000));
}

TEST(MaskFills, OfOtherDtypesAreTheSameWhereTheyRepeat) {
  const auto rows = self_of<std::uint32_t>(
      "float32 (2, 9) expanded=(0) fill=mask_front repeats=(0) popcount=5 seed=3");
  EXPECT_TRUE(std::equal(rows.begin(), rows.begin() + 9, rows.begin() + 9));
  EXPECT_GT(std::set<std::uint32_t>(rows.begin(), rows.end()).size(), 3u);
}

TEST(MaskFills, WithAnOddSeedHoldZerosOfBothSignsDenormalsAndNaNs) {
  int zeros = 0, minus_zeros = 0, denormals = 0, nans = 0, negative = 0;
  for (const std::uint64_t bits :
       self_of<std::uint64_t>("float64 (400) fill=mask_front popcount=200 seed=1")) {
    const std::uint64_t magnitude = bits << 1 >> 1;
    zeros += bits == 0;
    minus_zeros += magnitude == 0 && bits != 0;
    denormals += magnitude != 0 && magnitude < 1ull << 52;
    nans += magnitude > 0x7FFull << 52;
    negative += magnitude != 0 && bits != magnitude;
  }
  EXPECT_GT(std::min({zeros, minus_zeros, denormals, nans, negative}), 10);
  EXPECT_EQ(zeros + minus_zeros, 200);
}

}  // namespace
}  // namespace indexfuzz
