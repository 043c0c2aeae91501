#pragma once
// Shared by gather and the scatter operators: an index tensor of self's rank that replaces the
// coordinate of one dimension. With dim = 0, element (i, j, …) of the index stands for element
// (index[i][j], j, …) of self. A tensor of rank 0 counts as one dimension of size 1.

#include "case/limits.h"
#include "case/walk.h"
#include "ops/definition/operator.h"
#include "ops/families/moves.h"

namespace indexfuzz {

/// Whether the index, operand 1, has elements. Of an empty one ATen checks only the shape.
inline bool has_indices(const Case& c) {
  return numel(c.operands[1].shape) > 0;
}

/// The shape, with rank 0 turned into one dimension of size 1.
Dims at_least_1d(const Dims& shape);

/// Fits `index` to self: of self's rank (0 and 1 count as equal), no larger than self except in
/// `dim`, and empty if self is empty along `dim`. An index without elements may have any shape, as
/// torch.gather and Tensor.scatter_ document.
void fit_index(Dims& index, const Dims& self, int dim);

/// Gives `source` index's rank (0 and 1 count as equal) and at least its size in every dimension.
void fit_source(Dims& source, const Dims& index, const Limits& limits);

/// Fits the operands `index` and `source` to self (operand 0) along the case's dim.
void fit_scattered(Case& c, int index, int source, const Limits& limits);

/// Calls f(i, element of self, offset...) for every element i of the index, in row-major order,
/// with one offset for each further set of strides. These are strides of at_least_1d(index_shape).
template <typename Indices, typename F, typename... Strides>
void for_each_along_dim(const Dims& index_shape, const Dims& self_shape, int dim,
                        const Indices& indices, F&& f, const Strides&... further) {
  Dims strides = row_major_strides(at_least_1d(self_shape));
  const std::int64_t stride = strides[static_cast<std::size_t>(dim)];
  strides[static_cast<std::size_t>(dim)] = 0;
  for_each_element(
      at_least_1d(index_shape),
      [&](std::int64_t i, std::int64_t beside, auto... offsets) {
        f(i, beside + indices[i] * stride, offsets...);
      },
      strides, further...);
}

/// Calls f(element of self, element of src) for every element of the index, in row-major order.
/// Operands 0 to 2 are self, index and src; src is read at the coordinates of the index.
template <typename F>
void for_each_scattered(const OracleInput& input, int dim, F&& f) {
  for_each_along_dim(
      input.c.operands[1].shape, input.c.operands[0].shape, dim, IndexReader(input, 1),
      [&](std::int64_t, std::int64_t element, std::int64_t from) { f(element, from); },
      row_major_strides(at_least_1d(input.c.operands[2].shape)));
}

}  // namespace indexfuzz
