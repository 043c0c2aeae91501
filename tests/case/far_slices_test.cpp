#include "case/far_slices.h"

#include <gtest/gtest.h>

namespace indexfuzz {
namespace {

Operand operand_of(Dims shape) {
  Operand operand;
  operand.shape = shape;
  operand.layout = contiguous_layout(static_cast<int>(shape.size()));
  return operand;
}

TEST(FarSlices, LieAlongTheOutermostDimensionInMemoryOfTwoPlacesOrMore) {
  const auto plain = far_slices(operand_of({1, 3, 5}));
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->dimension, 1u);
  EXPECT_EQ(plain->count, 3);
  EXPECT_EQ(plain->stride, 5);
  EXPECT_EQ(plain->extent, 5);

  Operand turned = operand_of({4, 3});
  turned.layout.order = {1, 0};
  turned.layout.dims[0] = {2, 1, 2, false, false};
  const auto slices = far_slices(turned);
  ASSERT_TRUE(slices);
  EXPECT_EQ(slices->dimension, 1u);
  EXPECT_EQ(slices->count, 3);
  EXPECT_EQ(slices->stride, 10);  // 1 before, 4 with a step of 2, 2 behind
  EXPECT_EQ(slices->extent, 7);

  Operand expanded = operand_of({6, 2});
  expanded.layout.dims[0].expanded = true;
  ASSERT_TRUE(far_slices(expanded));
  EXPECT_EQ(far_slices(expanded)->dimension, 1u);
}

TEST(FarSlices, AreNoneWhereNothingCanLieApart) {
  EXPECT_FALSE(far_slices(operand_of({})));
  EXPECT_FALSE(far_slices(operand_of({1, 1})));
  EXPECT_FALSE(far_slices(operand_of({2, 0})));
  EXPECT_FALSE(far_slices(operand_of({kMostFarSlices + 1})));
  EXPECT_TRUE(far_slices(operand_of({kMostFarSlices})));
  Operand windows = operand_of({2, 3});
  windows.layout.dims[0].slides = true;
  EXPECT_FALSE(far_slices(windows));
  EXPECT_TRUE(far_slices(operand_of({2, kMostFarSliceBytes / 4})));
  EXPECT_FALSE(far_slices(operand_of({2, kMostFarSliceBytes / 4 + 1})));
}

TEST(FarSlices, ViewsOfThemAreFoundAgainWhereTheLayoutHasThem) {
  const Operand operand = operand_of({3, 2});
  const FarSlices slices = far_slices(operand).value();
  const FarPlaces places = in_bytes(slices, Dtype::kDouble);
  EXPECT_EQ(places.near_bytes, 16);
  EXPECT_EQ(places.slice_bytes, 16);
  EXPECT_EQ(places.apart_bytes, kFarStride * 8);
  EXPECT_EQ(near_offset(places, 2 * places.apart_bytes + 8), 40);
  EXPECT_FALSE(in_slice(places, 2 * places.apart_bytes + 16));
  EXPECT_EQ(near_offset(places, 2 * places.apart_bytes + 16), 32);
  Dims strides = spread(strided(operand.shape, operand.layout), slices).strides;
  EXPECT_EQ(strides, (Dims{kFarStride, 1}));
  bring_together(slices, strides);
  EXPECT_EQ(strides, (Dims{2, 1}));
}

}  // namespace
}  // namespace indexfuzz
