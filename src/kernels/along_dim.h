#pragma once
// Indices along one dimension: of self's rank, for gather and scatter_add, or a vector that names
// slices, for index_select and index_add. Tensors of rank 0 count as one dimension of size 1.

#include "geometry.h"

namespace kernels {

/// The index is no larger than `other` in any dimension but `dim` (-1: in none), and of its rank.
void check_index_fits(const Tensor& index, const Tensor& other, const char* name, int64_t dim);

/// Walks the index. `plain`: the byte strides of the operand that is walked with it; self is the
/// indexed one.
Indexed indexed_along(DimVector plain, const Tensor& self, int64_t dim, const Tensor& index);

/// Walks `slices`, which has self's shape but for one slice an index; self is the indexed operand.
Indexed indexed_slices(const View& slices, const Tensor& self, int64_t dim, const Tensor& index);

}  // namespace kernels
