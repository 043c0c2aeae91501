#pragma once
// What gather and the scatters share: an index tensor of self's rank that replaces the coordinate
// of one dimension. Element (i, j, …) of the index, with dim = 0, stands for (index[i][j], j, …) of
// self. A tensor of rank 0 counts as one dimension of size 1.

#include "case/limits.h"
#include "case/walk.h"
#include "ops/moves.h"
#include "ops/operator.h"

namespace indexfuzz {

/// Whether the index, operand 1, holds any: ATen looks at nothing but the shape of an empty one.
inline bool has_indices(const Case& c) {
  return numel(c.operands[1].shape) > 0;
}

/// A shape in which rank 0 has become one dimension of size 1.
Dims at_least_1d(const Dims& shape);

/// Makes `index` as large as it may be: of self's rank (0 and 1 are alike), no larger than self but
/// in `dim`, and empty where that dimension of self is.
void fit_index(Dims& index, const Dims& self, int dim);

/// Makes `source` of index's rank and at least as large as index in every dimension.
void fit_source(Dims& source, const Dims& index, const Limits& limits);

/// Fits the operands `index` and `source` to self, the first one, along the case's dim.
void fit_scattered(Case& c, int index, int source, const Limits& limits);

// Illegal rules. False where no dimension of the index may be made larger, or none of it holds any.

/// The index has more elements than self, the first operand, in another dimension than `dim`.
bool exceed_self(Case& c, int index, int dim);
/// The index has more elements than `source` in one dimension, and in none but `dim` more than
/// self.
bool exceed_source(Case& c, int index, int source, int dim);

/// Calls f(i, element of self, offset...) for every element i of the index, in row-major order: one
/// offset for each further set of strides of the index's shape, of rank 1 or more.
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

/// Calls f(element of self, element of src) for every element of the index, in row-major order. The
/// operands are self, index and src, which is read at the coordinates of the index, under its own
/// strides.
template <typename F>
void for_each_scattered(const OracleInput& input, int dim, F&& f) {
  for_each_along_dim(
      input.c.operands[1].shape, input.c.operands[0].shape, dim, IndexReader(input, 1),
      [&](std::int64_t, std::int64_t element, std::int64_t from) { f(element, from); },
      row_major_strides(at_least_1d(input.c.operands[2].shape)));
}

}  // namespace indexfuzz
