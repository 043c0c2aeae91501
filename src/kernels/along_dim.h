#pragma once
// Indexing along one dimension: by an index of self's rank (gather, scatter_add), or by a vector
// of slice numbers (index_select, index_add). A tensor of rank 0 counts as one of shape (1).

#include "geometry.h"

namespace kernels {

/// Throws unless the index has the rank of `other` and is no larger than it in any dimension except
/// `dim` (-1: no exception). `name`: what the message calls `other`.
void check_index_fits(const Tensor& index, const Tensor& other, const char* name, int64_t dim);

/// The walk over all positions in `index`, with self as the indexed operand. `plain`: the byte
/// strides of the operand that is walked with it.
Indexed indexed_along(DimVector plain, const Tensor& self, int64_t dim, const Tensor& index);

/// The walk over `slices`, with self as the indexed operand. `slices` has self's shape, except that
/// its size in `dim` is the number of indices.
Indexed indexed_slices(const View& slices, const Tensor& self, int64_t dim, const Tensor& index);

}  // namespace kernels
