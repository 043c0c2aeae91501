// Broadcasting as https://pytorch.org/docs/stable/notes/broadcasting.html has it.

#include "case/broadcast.h"

#include <gtest/gtest.h>

namespace indexfuzz {
namespace {

TEST(Broadcast, AlignsAtTheLastDimensionAndStretchesOnes) {
  EXPECT_EQ(broadcast_shape({2, 1, 3}, {4, 1}), (Dims{2, 4, 3}));
  EXPECT_EQ(broadcast_shape({4, 1}, {2, 1, 3}), (Dims{2, 4, 3}));
  EXPECT_EQ(broadcast_shape({}, {2, 3}), (Dims{2, 3}));
  EXPECT_EQ(broadcast_shape({2, 3}, {}), (Dims{2, 3}));
  EXPECT_EQ(broadcast_shape({}, {}), Dims{});
  EXPECT_EQ(broadcast_shape({1}, {1, 1}), (Dims{1, 1}));
  // A size of 1 stretches to 0 as well.
  EXPECT_EQ(broadcast_shape({2, 1}, {0}), (Dims{2, 0}));
  EXPECT_EQ(broadcast_shape({0}, {2, 1}), (Dims{2, 0}));
}

TEST(Broadcast, WidensAShapeInPlace) {
  Dims shape{1, 3};
  broadcast_into(shape, {2, 1, 1});
  EXPECT_EQ(shape, (Dims{2, 1, 3}));
  broadcast_into(shape, {5, 3});
  EXPECT_EQ(shape, (Dims{2, 5, 3}));
}

TEST(Broadcast, SaysWhichShapesGoTogether) {
  EXPECT_TRUE(broadcasts_with({2, 3}, {3}));
  EXPECT_TRUE(broadcasts_with({2, 3}, {7, 2, 1}));
  EXPECT_TRUE(broadcasts_with({}, {7}));
  EXPECT_TRUE(broadcasts_with({0}, {1}));
  EXPECT_TRUE(broadcasts_with({0}, {2, 0}));
  EXPECT_FALSE(broadcasts_with({2, 3}, {2}));
  EXPECT_FALSE(broadcasts_with({2, 3}, {4, 3}));
  EXPECT_FALSE(broadcasts_with({0}, {2}));
}

TEST(Broadcast, StridesAreZeroWhereADimensionStretches) {
  EXPECT_EQ(broadcast_strides({2, 3}, 2), (Dims{3, 1}));
  EXPECT_EQ(broadcast_strides({2, 1, 3}, 4), (Dims{0, 3, 0, 1}));
  EXPECT_EQ(broadcast_strides({}, 2), (Dims{0, 0}));
  EXPECT_EQ(broadcast_strides({1, 1}, 2), (Dims{0, 0}));
}

}  // namespace
}  // namespace indexfuzz
