#include "ops/repair/fit_broadcast.h"

#include <gtest/gtest.h>

#include "case/broadcast.h"

namespace indexfuzz {
namespace {

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
