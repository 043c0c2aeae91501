#include "kernel_calls.h"

#include <algorithm>

namespace indexfuzz {

using at::Tensor;

const std::vector<at::ScalarType> kMoved{
    at::kBool,        at::kByte,         at::kChar,          at::kShort,         at::kInt,
    at::kLong,        at::kHalf,         at::kBFloat16,      at::kFloat,         at::kDouble,
    at::kComplexHalf, at::kComplexFloat, at::kComplexDouble, at::kFloat8_e4m3fn, at::kFloat8_e5m2,
    at::kUInt16,      at::kUInt32,       at::kUInt64};

namespace {

constexpr int64_t kMostDuplicates = 40;

Tensor value(Draws& draws, at::IntArrayRef sizes, at::ScalarType dtype) {
  return draw_tensor(draws, sizes, dtype, true);
}
Tensor target(Draws& draws, at::IntArrayRef sizes, at::ScalarType dtype) {
  return draw_tensor(draws, sizes, dtype, false);
}

/// A dtype in which up to `most` of the values drawn have a sum that is exact in every order.
at::ScalarType summed(at::ScalarType dtype, bool any_order, int64_t most) {
  if (!any_order || c10::isIntegralType(dtype, true)) return dtype;
  const bool narrow =
      c10::elementSize(c10::toRealValueType(dtype)) <= (most > kMostDuplicates ? 2 : 1);
  return narrow ? at::kFloat : dtype;
}

/// Of rank 1 to 5, in which dimension `dim` is not empty.
std::vector<int64_t> sizes_with(Draws& draws, int64_t& dim) {
  const int64_t rank = 1 + draws.below(5);
  std::vector<int64_t> sizes = draw_sizes(draws, rank);
  dim = draws.below(rank);
  int64_t& size = sizes[static_cast<size_t>(dim)];
  size = std::max<int64_t>(size, 1);
  return sizes;
}

Call draw_index_select(Draws& draws, at::ScalarType dtype, bool) {
  int64_t dim = 0;
  const auto sizes = sizes_with(draws, dim);
  return {"index_select",
          "",
          {value(draws, sizes, dtype), dim,
           draw_index(draws, {draws.below(40)}, 0, sizes[static_cast<size_t>(dim)])}};
}

Call draw_gather(Draws& draws, at::ScalarType dtype, bool) {
  int64_t dim = 0;
  const auto sizes = sizes_with(draws, dim);
  auto index = sizes;
  index[static_cast<size_t>(dim)] = draws.below(12);
  return {"gather",
          "",
          {value(draws, sizes, dtype), dim,
           draw_index(draws, index, 0, sizes[static_cast<size_t>(dim)]), false}};
}

Call draw_scatter_add(Draws& draws, at::ScalarType dtype, bool any_order) {
  dtype = summed(dtype, any_order, kMostDuplicates);
  int64_t dim = 0;
  const auto sizes = sizes_with(draws, dim);
  auto index = sizes;
  index[static_cast<size_t>(dim)] = draws.below(kMostDuplicates);
  return {
      "scatter_add_",
      "",
      {target(draws, sizes, dtype), dim,
       draw_index(draws, index, 0, sizes[static_cast<size_t>(dim)]), value(draws, index, dtype)},
      0};
}

Call draw_index_add(Draws& draws, at::ScalarType dtype, bool any_order) {
  dtype = summed(dtype, any_order, kMostDuplicates);
  int64_t dim = 0;
  const auto sizes = sizes_with(draws, dim);
  auto source = sizes;
  source[static_cast<size_t>(dim)] = draws.below(kMostDuplicates);
  return {
      "index_add_",
      "",
      {target(draws, sizes, dtype), dim,
       draw_index(draws, {source[static_cast<size_t>(dim)]}, 0, sizes[static_cast<size_t>(dim)]),
       value(draws, source, dtype), draws.one_in(2) ? 1 : 2},
      0};
}

/// Positions in one or two of three dimensions, or a mask over the first of them.
IndexList draw_list(Draws& draws, const std::vector<int64_t>& sizes) {
  IndexList list;
  if (draws.one_in(3)) {
    list.push_back(value(draws, {sizes[0]}, at::kBool));
    return list;
  }
  const std::vector<int64_t> shape = draw_sizes(draws, 1 + draws.below(2));
  const auto positions = [&](size_t d) {
    return std::optional<Tensor>(draw_index(draws, shape, -sizes[d], sizes[d]));
  };
  list.push_back(draws.one_in(2) ? positions(0) : std::nullopt);
  list.push_back(list.get(0) && draws.one_in(2) ? std::optional<Tensor>() : positions(1));
  if (draws.one_in(2)) list.push_back(positions(2));
  return list;
}

std::vector<int64_t> three_sizes(Draws& draws) {
  std::vector<int64_t> sizes = draw_sizes(draws, 3);
  for (int64_t& size : sizes) size = std::max<int64_t>(size, 1);
  return sizes;
}

Call draw_index_call(Draws& draws, at::ScalarType dtype, bool) {
  const auto sizes = three_sizes(draws);
  return {"index", "Tensor", {value(draws, sizes, dtype), draw_list(draws, sizes)}};
}

Call draw_index_put(Draws& draws, at::ScalarType dtype, bool any_order) {
  dtype = summed(dtype, any_order, 1 << 14);
  const auto sizes = three_sizes(draws);
  const bool accumulate = any_order || draws.one_in(2);
  return {
      "index_put_",
      "",
      {target(draws, sizes, dtype), draw_list(draws, sizes), value(draws, {}, dtype), accumulate},
      0};
}

/// Distinct positions, so that the order does not matter.
Call draw_index_put_distinct(Draws& draws, at::ScalarType dtype, bool) {
  const auto sizes = three_sizes(draws);
  IndexList list;
  list.push_back(std::optional<Tensor>(at::randperm(sizes[0], at::kLong)));
  return {
      "index_put_", "", {target(draws, sizes, dtype), list, value(draws, sizes, dtype), false}, 0};
}

Call draw_masked_fill(Draws& draws, at::ScalarType dtype, bool) {
  const auto sizes = draw_sizes(draws, draws.below(6));
  return {"masked_fill_",
          "Scalar",
          {target(draws, sizes, dtype), value(draws, sizes, at::kBool), 1},
          0};
}

Call draw_masked_select(Draws& draws, at::ScalarType dtype, bool) {
  const auto sizes = draw_sizes(draws, draws.below(6));
  return {"masked_select", "", {value(draws, sizes, dtype), value(draws, sizes, at::kBool)}};
}

Call draw_nonzero(Draws& draws, at::ScalarType dtype, bool) {
  return {"nonzero", "", {value(draws, draw_sizes(draws, draws.below(6)), dtype)}};
}

Call draw_masked_scatter(Draws& draws, at::ScalarType dtype, bool) {
  const auto sizes = draw_sizes(draws, draws.below(6));
  return {"masked_scatter_",
          "",
          {target(draws, sizes, dtype), value(draws, sizes, at::kBool), value(draws, sizes, dtype)},
          0};
}

Call draw_embedding(Draws& draws, at::ScalarType dtype, bool) {
  const int64_t rows = 1 + draws.below(300);
  return {"embedding",
          "",
          {value(draws, {rows, draws.below(40)}, dtype),
           draw_index(draws, draw_sizes(draws, draws.below(4)), 0, rows), -1, false, false}};
}

}  // namespace

const std::vector<Operator>& drawn_operators() {
  static const std::vector<Operator> operators{
      {"index_select", draw_index_select},
      {"gather", draw_gather},
      {"scatter_add", draw_scatter_add},
      {"index_add", draw_index_add},
      {"index", draw_index_call},
      {"index_put", draw_index_put},
      {"index_put_distinct", draw_index_put_distinct},
      {"masked_fill", draw_masked_fill},
      {"masked_select", draw_masked_select},
      {"nonzero", draw_nonzero},
      {"masked_scatter", draw_masked_scatter},
      {"embedding", draw_embedding},
  };
  return operators;
}

}  // namespace indexfuzz
