// Traits that chance alone hardly brings together, and that are drawn together on purpose.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "case/layout.h"
#include "draw/sizes.h"
#include "drawn.h"
#include "ops/families/advanced_index.h"
#include "ops/repair/clamp.h"

namespace indexfuzz {
namespace {

constexpr std::uint64_t kDrawn = 50'000;

/// The order in which all operands of self's rank lie in memory, two of them at least, without any
/// gaps; that of no dimensions where there is none, or the usual one.
decltype(Layout::order) shared_order(const Case& c) {
  const Operand& self = c.operands[0];
  Layout shared = contiguous_layout(rank(self.shape));
  if (self.layout.order == shared.order) return {};
  shared.order = self.layout.order;
  int alike = 0;
  for (const Operand& operand : c.operands) {
    if (!operand.present || operand.shape.size() != self.shape.size()) continue;
    if (operand.layout != shared) return {};
    ++alike;
  }
  return alike > 1 ? shared.order : decltype(Layout::order){};
}

TEST(Together, OperandsOftenLieInOneOrderOfTheirDimensions) {
  for (const std::string_view op : {"gather", "scatter", "index_add", "masked_fill", "where"}) {
    int transposed = 0, channels_last = 0, with_out = 0;
    with_drawn(op, kDrawn, [&](const Case& c) {
      const auto order = shared_order(c);
      transposed += order.size() == 2;
      with_out += !order.empty() && c.variant == Variant::kOut;
      channels_last +=
          order == decltype(order){0, 2, 3, 1} || order == decltype(order){0, 2, 3, 4, 1};
    });
    EXPECT_GT(transposed, kDrawn / 500) << op;
    EXPECT_GT(channels_last, kDrawn / 1000) << op;
    EXPECT_GT(with_out, kDrawn / 500) << op;
  }
}

TEST(Together, ShapesOfManyElementsHaveUpToSixDimensions) {
  Choices choices(1);
  for (const auto draw_many : {draw_large_shape, draw_huge_shape}) {
    constexpr int kShapes = 3'000;
    std::map<int, int> ranks;
    int above_double = 0, long_inside = 0;
    for (int i = 0; i < kShapes; ++i) {
      const Dims shape = draw_many(choices, 10);
      ++ranks[rank(shape)];
      above_double += numel(shape) > (draw_many == draw_large_shape ? 2 * 70'001 : 2 * 1'500'000);
      long_inside += rank(shape) > 3 && std::ranges::any_of(shape.begin() + 1, shape.end() - 1,
                                                            [](auto size) { return size > 8192; });
    }
    for (int r = 1; r <= 3; ++r) EXPECT_GT(ranks[r], kShapes / 6);
    for (int r = 4; r <= 6; ++r) EXPECT_GT(ranks[r], kShapes / 12);
    EXPECT_EQ(ranks.rbegin()->first, 6);
    EXPECT_LT(above_double, kShapes / 50);
    EXPECT_GT(long_inside, kShapes / 50);
    for (int i = 0; i < kShapes; ++i) {
      ASSERT_LE(rank(draw_many(choices, 1)), 1);
      ASSERT_LE(rank(draw_many(choices, 4)), 4);
    }
  }
}

TEST(Together, ManyPlacesMeetMoreIndicesThanTheyAre) {
  for (const std::string_view op :
       {"gather", "index_select", "index_add", "index_copy", "scatter"}) {
    int longer = 0, many_longer = 0;
    with_drawn(op, 200'000, [&](const Case& c) {
      const Dims &self = c.operands[0].shape, &index = c.operands[1].shape;
      const int dim = wrapped_dim(c.attributes[0], rank(self));
      const std::int64_t indices = rank(index) == rank(self) ? size_at(index, dim) : numel(index);
      if (size_at(self, dim) < 1500 || indices < 2 * size_at(self, dim)) return;
      ++longer;
      many_longer += indices > 65'535;
    });
    EXPECT_GT(many_longer, 3) << op;
    EXPECT_GT(longer, many_longer) << op;
  }
}

/// How many dimensions of an operand are left where those that follow one another in memory are
/// taken for one.
int dimensions_apart(const Operand& operand) {
  const Dims strides = strided(operand.shape, operand.layout).strides;
  int apart = 0;
  std::int64_t next = 0;  // the stride of one that follows those behind it
  for (std::size_t d = operand.shape.size(); d-- > 0;) {
    if (operand.shape[d] == 1) continue;
    apart += apart == 0 || strides[d] != next;
    next = strides[d] * operand.shape[d];
  }
  return apart;
}

TEST(Together, ManyDimensionsOftenCannotBeMerged) {
  int seven = 0;
  with_drawn("gather", kDrawn, [&](const Case& c) {
    seven +=
        std::ranges::any_of(c.operands, [](const Operand& o) { return dimensions_apart(o) >= 7; });
  });
  EXPECT_GT(seven, kDrawn / 5'000);
  Choices choices(1);
  int filled = 0, of_rank_5 = 0;
  for (std::uint64_t i = 0; i < kDrawn; ++i) {
    const Dims shape = draw_shape(choices, 10);
    of_rank_5 += rank(shape) >= 5;
    filled += rank(shape) >= 5 && std::ranges::count(shape, 1) <= 1 && numel(shape) > 0;
  }
  EXPECT_GT(filled, of_rank_5 / 8);
}

TEST(Together, AListReachesAllDimensionsOfSelf) {
  for (const std::string_view op : {"index", "index_put"}) {
    int all_in_one_mask = 0, most_entries = 0, far = 0;
    with_drawn(op, kDrawn, [&](const Case& c) {
      const int begin = list_begin(c);
      const int self = rank(c.operands[0].shape);
      const int entries = input_count(c) - begin;
      most_entries = std::max(most_entries, entries);
      const Operand& first = operand_at(c, begin);
      all_in_one_mask += entries == 1 && self >= 4 &&
                         family(first.fill.kind) == FillFamily::kMask && rank(first.shape) == self;
      far += c.breaks == 0 && first_dim_of(c, input_count(c)) > 5;
    });
    EXPECT_EQ(most_entries, Limits{}.max_list_entries) << op;
    EXPECT_GT(all_in_one_mask, kDrawn / 1'000) << op;
    EXPECT_GT(far, kDrawn / 500) << op;
  }
}

}  // namespace
}  // namespace indexfuzz
