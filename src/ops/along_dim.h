#pragma once
// What gather and the scatters share: an index tensor of self's rank that replaces the coordinate
// of one dimension. Element (i, j, …) of the index, with dim = 0, stands for (index[i][j], j, …) of
// self. A tensor of rank 0 counts as one dimension of size 1.

#include "case/limits.h"
#include "ops/moves.h"
#include "ops/odometer.h"
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

// Illegal rules. False where no dimension of the index may be made larger, or none of it holds any.

/// The index has more elements than self, the first operand, in another dimension than `dim`.
bool exceed_self(Case& c, int index, int dim);
/// The index has more elements than `source` in one dimension, and in none but `dim` more than
/// self.
bool exceed_source(Case& c, int index, int source, int dim);

/// Calls f(i, element of self) for every element i of the index, in row-major order.
template <typename Indices, typename F>
void for_each_along_dim(const Dims& index_shape, const Dims& self_shape, int dim,
                        const Indices& indices, F&& f) {
  const Dims index_1d = at_least_1d(index_shape);
  const std::int64_t count = numel(index_1d);
  if (count == 0) return;
  Dims strides = row_major_strides(at_least_1d(self_shape));
  const std::int64_t stride = strides[static_cast<std::size_t>(dim)];
  strides[static_cast<std::size_t>(dim)] = 0;
  Odometer walk(index_1d, strides);
  for (std::int64_t i = 0; i < count; ++i, walk.next()) f(i, walk.offset() + indices[i] * stride);
}

/// Calls f(element of self, element of src) for every element of the index, in row-major order. The
/// operands are self, index and src, which is read at the coordinates of the index, under its own
/// strides.
template <typename F>
void for_each_scattered(const OracleInput& input, int dim, F&& f) {
  const Dims &self = input.c.operands[0].shape, &index = input.c.operands[1].shape;
  if (numel(index) == 0) return;
  const Dims index_shape = at_least_1d(index);
  const Dims src_strides = row_major_strides(at_least_1d(input.c.operands[2].shape));
  Odometer src(index_shape, src_strides);
  for_each_along_dim(index, self, dim, IndexReader(input, 1),
                     [&](std::int64_t, std::int64_t element) {
                       f(element, src.offset());
                       src.next();
                     });
}

}  // namespace indexfuzz
