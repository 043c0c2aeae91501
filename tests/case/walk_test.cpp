// The walk that views, fills, oracles and judge share, beside one that takes every coordinate
// apart.

#include "case/walk.h"

#include <gtest/gtest.h>

#include <tuple>
#include <vector>

namespace indexfuzz {
namespace {

using Visit = std::tuple<std::int64_t, std::int64_t, std::int64_t>;

std::int64_t offset_of(std::int64_t element, const Dims& shape, const Dims& strides) {
  std::int64_t offset = 0;
  for (std::size_t d = shape.size(); d-- > 0;) {
    offset += element % shape[d] * strides[d];
    element /= shape[d];
  }
  return offset;
}

std::vector<Visit> walked(const Dims& shape, const Dims& a, const Dims& b) {
  std::vector<Visit> visits;
  for_each_element(
      shape,
      [&](std::int64_t i, std::int64_t in_a, std::int64_t in_b) {
        visits.emplace_back(i, in_a, in_b);
      },
      a, b);
  return visits;
}

TEST(Walk, VisitsEveryElementInOrderWhateverTheStrides) {
  const std::int64_t sizes[] = {0, 1, 2, 3}, steps[] = {0, 1, 2, 3, 6};
  for (const std::int64_t x : sizes) {
    for (const std::int64_t y : sizes) {
      for (const std::int64_t z : sizes) {
        const Dims shape{x, y, z};
        for (const std::int64_t s : steps) {
          for (const std::int64_t t : steps) {
            const Dims a{s, t, 1}, b{t, 1, s};
            std::vector<Visit> expected;
            for (std::int64_t i = 0; i < numel(shape); ++i)
              expected.emplace_back(i, offset_of(i, shape, a), offset_of(i, shape, b));
            ASSERT_EQ(walked(shape, a, b), expected) << x << y << z << " " << s << t;
          }
        }
      }
    }
  }
}

TEST(Walk, OfRankZeroHasOneElement) {
  EXPECT_EQ(walked({}, {}, {}), std::vector<Visit>{Visit(0, 0, 0)});
}

std::vector<std::int64_t> row_lengths(const Dims& shape, const Dims& a, const Dims& b) {
  std::vector<std::int64_t> lengths;
  for_each_row<2>(shape, {&a, &b}, [&](const Row<2>& row) { lengths.push_back(row.count); });
  return lengths;
}

TEST(Walk, JoinsDimensionsThatContinueEachOtherInAllStrides) {
  using Lengths = std::vector<std::int64_t>;
  EXPECT_EQ(row_lengths({2, 3, 4}, {12, 4, 1}, {12, 4, 1}), Lengths{24});
  EXPECT_EQ(row_lengths({2, 3, 4}, {12, 4, 1}, {0, 0, 0}), Lengths{24});
  EXPECT_EQ(row_lengths({2, 3, 4}, {12, 4, 1}, {20, 4, 1}), (Lengths{12, 12}));
  EXPECT_EQ(row_lengths({2, 1, 3}, {3, 77, 1}, {6, 5, 2}), Lengths{6});
  EXPECT_EQ(row_lengths({2, 3}, {3, 1}, {1, 2}), (Lengths{3, 3}));
}

TEST(Walk, EndsWhereItIsTold) {
  const Dims shape{4, 2}, strides{5, 1};
  int rows = 0;
  EXPECT_FALSE(for_each_row<1>(shape, {&strides}, [&](const Row<1>& row) {
    ++rows;
    return row.first < 2;
  }));
  EXPECT_EQ(rows, 2);
  EXPECT_TRUE(for_each_row<1>(shape, {&strides}, [](const Row<1>&) { return true; }));
  const Dims none{0, 2};
  EXPECT_TRUE(for_each_row<1>(none, {&strides}, [](const Row<1>&) { return false; }));
}

}  // namespace
}  // namespace indexfuzz
