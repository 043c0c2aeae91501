// Cases in which a stride, an index or a size cannot matter are few for each operator.

#include <gtest/gtest.h>

#include <map>

#include "drawn.h"
#include "ops/definition/operator.h"

namespace indexfuzz {
namespace {

constexpr std::uint64_t kDrawn = 30'000;

TEST(Degenerate, IndicesNameAsManySlicesAlongLaterDimensionsAsAlongTheFirst) {
  for (const std::string_view op : {"index_select", "index_add", "index_copy", "index_fill"}) {
    int first = 0, as_many_of_first = 0, later = 0, as_many_of_later = 0;
    with_drawn(op, kDrawn, [&](const Case& c) {
      const Dims& self = c.operands[0].shape;
      if (c.breaks != 0 || self.size() < 2) return;
      const int dim = wrapped_dim(c.attributes[0], rank(self));
      const std::int64_t slices = size_at(self, dim);
      if (slices < 4) return;
      const bool as_many = numel(c.operands[1].shape) == slices;
      (dim == 0 ? first : later) += 1;
      (dim == 0 ? as_many_of_first : as_many_of_later) += as_many;
    });
    EXPECT_GT(as_many_of_first * 4, first) << op;
    EXPECT_GT(as_many_of_later * 4, later) << op;
  }
}

TEST(Degenerate, TheIndexedDimensionMostlyHasSeveralElements) {
  for (const std::string_view op : {"gather", "scatter_add", "index_select", "take_along_dim"}) {
    int single = 0;
    with_drawn(op, kDrawn, [&](const Case& c) {
      const Dims& self = c.operands[0].shape;
      single +=
          c.attributes[0] != kNoInt && size_at(self, wrapped_dim(c.attributes[0], rank(self))) <= 1;
    });
    EXPECT_LT(single * 5, static_cast<int>(kDrawn)) << op;
    EXPECT_GT(single * 50, static_cast<int>(kDrawn)) << op;
  }
}

TEST(Degenerate, MatricesAndTablesOftenHaveSeveralRowsAndColumns) {
  for (const OperatorInfo* op : operators()) {
    if (op->least_rank == 0) continue;
    int real = 0;
    with_drawn(op->name, kDrawn, [&](const Case& c) {
      real += std::ranges::any_of(c.operands, [](const Operand& operand) {
        const Dims& shape = operand.shape;
        return shape.size() >= 2 && shape.back() > 1 && shape[shape.size() - 2] > 1;
      });
    });
    EXPECT_GT(real * 5, static_cast<int>(kDrawn * 2)) << op->name;
  }
}

TEST(Degenerate, AnOperatorOfFewDtypesMeetsEachOfThem) {
  Limits limits;
  limits.dtypes = set_of(Dtype::kHalf) | set_of(Dtype::kBFloat16) | set_of(Dtype::kFloat);
  const std::vector<Target> targets = targets_of(*find_operator("index_select"));
  std::map<Dtype, std::uint64_t> dtypes;
  Case c;
  for (std::uint64_t i = 0; i < kDrawn; ++i) {
    draw_case(5, 0, i, targets, limits, c);
    ++dtypes[c.operands[0].dtype];
  }
  ASSERT_EQ(dtypes.size(), 3u);
  for (const auto& [dtype, count] : dtypes) EXPECT_GT(count * 5, kDrawn) << info(dtype).name;
}

TEST(Degenerate, SizesThatAreGivenAreNowAndThenZero) {
  for (const OperatorInfo* op : operators()) {
    for (const Overload& overload : op->overloads) {
      const auto size =
          std::ranges::find(overload.attributes, AttributeType::kSize, &AttributeSpec::type);
      // Neither an image nor a window has a side of length 0.
      if (size == overload.attributes.end() || op->name.find("pool") != std::string_view::npos ||
          op->name == "col2im")
        continue;
      int zero = 0;
      with_drawn(op->name, kDrawn, [&](const Case& c) {
        const auto a = static_cast<std::size_t>(size - overload.attributes.begin());
        zero += &overload_of(c) == &overload && c.breaks == 0 && c.attributes[a] == 0;
      });
      EXPECT_GT(zero, 20) << op->name << "." << overload.name;
    }
  }
}

TEST(Degenerate, ATensorAloneInAListOftenIndexesALaterDimension) {
  for (const std::string_view op : {"index", "index_put"}) {
    int alone = 0, later = 0;
    with_drawn(op, kDrawn, [&](const Case& c) {
      const int inputs = input_count(c);
      int present = 0, last = -1, begin = -1;
      for (int k = 0; k < inputs; ++k) {
        if (!spec_of(c, k).is_list) continue;
        if (begin < 0) begin = k;
        if (!operand_at(c, k).present) continue;
        ++present;
        last = k;
      }
      alone += present == 1;
      later += present == 1 && last > begin;
    });
    EXPECT_GT(later * 8, alone) << op;
  }
}

}  // namespace
}  // namespace indexfuzz
