// Broadcasting as https://pytorch.org/docs/stable/notes/broadcasting.html has it.

#include "ops/repair/broadcast.h"

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

TEST(FitBroadcast, KeepsOnesAndTakesTheOtherSizes) {
  const auto fitted = [](Dims shape, const Dims& to) {
    fit_broadcast(shape, to);
    EXPECT_EQ(broadcast_shape(shape, to), to);
    const Dims once = shape;
    fit_broadcast(shape, to);
    EXPECT_EQ(shape, once);
    return shape;
  };
  EXPECT_EQ(fitted({5, 1, 7}, {2, 3}), (Dims{1, 3}));
  EXPECT_EQ(fitted({7}, {2, 3}), (Dims{3}));
  EXPECT_EQ(fitted({}, {2, 3}), Dims{});
  EXPECT_EQ(fitted({4}, {}), Dims{});
  EXPECT_EQ(fitted({4, 4}, {0, 1}), (Dims{0, 1}));
  EXPECT_EQ(fitted({0}, {3}), (Dims{3}));
}

TEST(FitBroadcast, EitherWayOnlyWhereBothStayWithinTheLimits) {
  const auto fitted = [](Dims shape, const Dims& other, const Limits& limits) {
    fit_broadcast_either_way(shape, other, limits);
    EXPECT_TRUE(broadcasts_with(shape, other));
    const Dims once = shape;
    fit_broadcast_either_way(shape, other, limits);
    EXPECT_EQ(shape, once);
    return shape;
  };
  Limits limits;
  limits.max_rank = 3;
  limits.max_elements = 24;
  EXPECT_EQ(fitted({5, 1}, {3}, limits), (Dims{5, 1}));        // 5 × 3
  EXPECT_EQ(fitted({2, 4, 9}, {3, 1}, limits), (Dims{3, 1}));  // 2 × 3 × 9 are too many
  EXPECT_EQ(fitted({4}, {1}, limits), (Dims{4}));
  EXPECT_EQ(fitted({4}, {2, 3}, limits), (Dims{3}));
  EXPECT_EQ(fitted({6, 2, 2, 1}, {3}, limits), (Dims{2, 2, 1}));
  EXPECT_EQ(fitted({0, 2}, {3, 1}, limits), (Dims{3, 2}));
  EXPECT_EQ(fitted({2}, {0}, limits), (Dims{0}));
}

}  // namespace
}  // namespace indexfuzz
