// Layouts against a naive model: the base is dense, an element's address follows from its
// coordinates in it.

#include "case/layout.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <numeric>

#include "case/strided_copy.h"

namespace indexfuzz {
namespace {

struct Laid {
  Dims shape;
  Layout layout;
};

/// A sound layout of a small shape; every trait alone and with others.
Laid any_laid() {
  Laid laid;
  const int rank = *rc::gen::inRange(0, 5);
  laid.layout = contiguous_layout(rank);
  for (int d = 0; d < rank; ++d) laid.shape.push_back(*rc::gen::inRange<std::int64_t>(0, 5));
  for (int p = rank; p-- > 1;)
    std::swap(laid.layout.order[static_cast<std::size_t>(p)],
              laid.layout.order[static_cast<std::size_t>(*rc::gen::inRange(0, p + 1))]);
  laid.layout.offset = *rc::gen::inRange<std::int16_t>(0, 4);
  for (DimLayout& dim : laid.layout.dims) {
    dim.step = *rc::gen::inRange<std::int16_t>(1, 4);
    dim.before = *rc::gen::inRange<std::int16_t>(0, 3);
    dim.after = *rc::gen::inRange<std::int16_t>(0, 3);
    if (*rc::gen::inRange(0, 4) == 0) dim = {1, 0, 0, true, false};
  }
  for (std::size_t p = 0; p + 1 < laid.layout.order.size(); ++p) {
    DimLayout& dim = laid.layout.dims[laid.layout.order[p]];
    const bool after_slider = p > 0 && laid.layout.dims[laid.layout.order[p - 1]].slides;
    if (after_slider || laid.layout.dims[laid.layout.order[p + 1]].expanded ||
        *rc::gen::inRange(0, 4) != 0)
      continue;
    dim = {dim.step, 0, 0, false, true};
  }
  return laid;
}

Dims coordinates_of(std::int64_t element, const Dims& shape) {
  Dims at(shape.size());
  for (std::size_t d = shape.size(); d-- > 0;) at[d] = element % shape[d], element /= shape[d];
  return at;
}

/// The address of an element, in elements from the start of the storage, by the layout's definition
/// alone.
std::int64_t address(const Laid& laid, const Dims& at) {
  std::int64_t address = 0;
  const auto& dims = laid.layout.dims;
  for (std::size_t p = 0; p < dims.size(); ++p) {
    std::int64_t extra = 0, place = 0;
    if (dims[laid.layout.order[p]].slides) {
      const std::size_t s = laid.layout.order[p++];
      extra = (laid.shape[s] - 1) * dims[s].step;
      place = at[s] * dims[s].step;
    }
    const std::size_t d = laid.layout.order[p];
    const std::int64_t length =
        dims[d].expanded
            ? 1
            : dims[d].before + (laid.shape[d] - 1) * dims[d].step + 1 + extra + dims[d].after;
    if (!dims[d].expanded) place += dims[d].before + at[d] * dims[d].step;
    address = address * length + place;
  }
  return laid.layout.offset + address;
}

RC_GTEST_PROP(Layout, EveryElementLiesWhereTheBaseSays, ()) {
  const Laid laid = any_laid();
  const Strided view = strided(laid.shape, laid.layout);
  RC_PRE(numel(laid.shape) > 0);
  std::int64_t least = INT64_MAX, most = -1;
  for (std::int64_t e = 0; e < numel(laid.shape); ++e) {
    const Dims at = coordinates_of(e, laid.shape);
    const std::int64_t expected = address(laid, at);
    RC_ASSERT(std::inner_product(at.begin(), at.end(), view.strides.begin(), view.storage_offset) ==
              expected);
    least = std::min(least, expected);
    most = std::max(most, expected);
  }
  RC_ASSERT(view.storage_offset == least);
  RC_ASSERT(view.extent == most - least + 1);
  RC_ASSERT(view.storage_elements > most);
}

RC_GTEST_PROP(Layout, TheBaseHasAsManyElementsAsTheStorageBehindTheOffset, ()) {
  const Laid laid = any_laid();
  RC_PRE(numel(laid.shape) > 0);
  std::int64_t elements = 1;
  for (const BaseDim& dim : base_of(laid.shape, laid.layout)) elements *= dim.length;
  RC_ASSERT(strided(laid.shape, laid.layout).storage_elements == laid.layout.offset + elements);
}

RC_GTEST_PROP(Layout, AnEmptyViewReachesNothingAndLiesInItsStorage, ()) {
  Laid laid = any_laid();
  if (laid.shape.empty()) return;
  laid.shape[0] = 0;
  const Strided view = strided(laid.shape, laid.layout);
  RC_ASSERT(view.extent == 0);
  RC_ASSERT(view.storage_offset <= view.storage_elements);
}

RC_GTEST_PROP(StridedCopy, WritesTheViewAndNothingElseAndReadsItBack, ()) {
  const Laid laid = any_laid();
  const Strided view = strided(laid.shape, laid.layout);
  const auto size = std::size_t{1} << *rc::gen::inRange(0, 5);
  const std::int64_t count = numel(laid.shape);
  // Elements at one address are equal: each holds its address.
  std::vector<std::byte> dense(static_cast<std::size_t>(count) * size);
  std::vector<std::byte> expected(static_cast<std::size_t>(view.storage_elements) * size,
                                  std::byte{0xFE});
  for (std::int64_t e = 0; e < count; ++e) {
    const std::int64_t at = address(laid, coordinates_of(e, laid.shape));
    std::fill_n(&dense[static_cast<std::size_t>(e) * size], size, static_cast<std::byte>(at % 200));
    std::fill_n(&expected[static_cast<std::size_t>(at) * size], size,
                static_cast<std::byte>(at % 200));
  }
  std::vector<std::byte> storage(expected.size(), std::byte{0xFE});
  std::byte* const data = storage.data() + static_cast<std::size_t>(view.storage_offset) * size;
  scatter_elements(laid.shape, view.strides, size, dense.data(), data);
  RC_ASSERT(storage == expected);
  std::vector<std::byte> back(dense.size());
  gather_elements(laid.shape, view.strides, size, data, back.data());
  RC_ASSERT(back == dense);
  RC_ASSERT(equal_elements(laid.shape, view.strides, size, dense.data(), data));
  if (count == 0) return;
  dense[*rc::gen::inRange(std::size_t{0}, dense.size())] ^= std::byte{1};
  RC_ASSERT(!equal_elements(laid.shape, view.strides, size, dense.data(), data));
}

TEST(Layout, OfAScalar) {
  const Strided view = strided({}, contiguous_layout(0));
  EXPECT_EQ(view.extent, 1);
  EXPECT_EQ(view.storage_elements, 1);
  EXPECT_TRUE(base_of({}, contiguous_layout(0)).empty());
}

TEST(Layout, EachTraitHasTheStridesWorkedOutByHand) {
  Layout layout = contiguous_layout(2);
  layout.order = {1, 0};
  EXPECT_EQ(strided({2, 3}, layout).strides, (Dims{1, 2}));
  layout = contiguous_layout(2);
  layout.dims[1] = {2, 1, 3, false, false};
  EXPECT_EQ(strided({2, 3}, layout).strides, (Dims{9, 2}));
  EXPECT_EQ(strided({2, 3}, layout).storage_offset, 1);
  EXPECT_EQ(strided({2, 3}, layout).extent, 14);
  layout = contiguous_layout(2);
  layout.dims[0].expanded = true;
  EXPECT_EQ(strided({2, 3}, layout).strides, (Dims{0, 1}));
  layout = contiguous_layout(2);
  layout.dims[0].slides = true;
  EXPECT_EQ(strided({2, 3}, layout).strides, (Dims{1, 1}));
  const auto base = base_of({2, 3}, layout);
  ASSERT_EQ(base.size(), 1u);
  EXPECT_EQ(base[0].length, 4);
  EXPECT_EQ(base[0].dimension, 1);
  EXPECT_EQ(base[0].slider, 0);
}

TEST(Layout, ContiguousMeansNoTraitAtAll) {
  EXPECT_TRUE(is_contiguous(contiguous_layout(3)));
  Layout layout = contiguous_layout(2);
  layout.offset = 1;
  EXPECT_FALSE(is_contiguous(layout));
  layout = contiguous_layout(2);
  layout.order = {1, 0};
  EXPECT_FALSE(is_contiguous(layout));
  for (int trait = 0; trait < 5; ++trait) {
    layout = contiguous_layout(2);
    DimLayout& dim = layout.dims[0];
    if (trait == 0) dim.step = 2;
    if (trait == 1) dim.before = 1;
    if (trait == 2) dim.after = 1;
    if (trait == 3) dim.expanded = true;
    if (trait == 4) dim.slides = true;
    EXPECT_FALSE(is_contiguous(layout)) << trait;
    EXPECT_EQ(has_expanded(layout), trait == 3);
    EXPECT_EQ(has_sliding(layout), trait == 4);
  }
}

TEST(StridedCopy, RowMajorDoesNotLookAtDimensionsOfSizeOne) {
  EXPECT_TRUE(is_row_major({2, 3}, {3, 1}));
  EXPECT_TRUE(is_row_major({2, 1, 3}, {3, 77, 1}));
  EXPECT_TRUE(is_row_major({}, {}));
  EXPECT_FALSE(is_row_major({2, 3}, {1, 2}));
  EXPECT_FALSE(is_row_major({2, 3}, {4, 1}));
  EXPECT_FALSE(is_row_major({2}, {0}));
}

}  // namespace
}  // namespace indexfuzz
