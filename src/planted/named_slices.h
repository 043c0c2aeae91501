#pragma once
// What the planted index_fill, index_copy, index_add and index_reduce share.

#include "strided.h"

namespace planted {

/// The positions that the index holds, in its order, in a dimension of `size`. Throws if one is out
/// of range. `wrap` is added to negative positions; with 0 they are out of range.
inline Position read_rows(const Tensor& index, int64_t size, int64_t wrap) {
  TORCH_CHECK_INDEX(index.dim() <= 1, "the index has ", index.dim(), " dimensions");
  const Strided view = strided_1d(index);
  Position rows;
  each_position(view.sizes, [&](const Position& position) {
    int64_t row = read_index(view.at(position), view.item);
    TORCH_CHECK_INDEX(row >= (wrap > 0 ? -size : 0) && row < size, "index ", row,
                      " is out of range for size ", size);
    rows.push_back(row < 0 ? row + wrap : row);
  });
  return rows;
}

/// Throws unless source has self's dtype and shape, except that its size in `dim` is the number of
/// indices.
inline void check_source(const Tensor& self, int64_t dim, const Tensor& index,
                         const Tensor& source) {
  TORCH_CHECK(self.scalar_type() == source.scalar_type(), "self is ", self.scalar_type(),
              ", source ", source.scalar_type());
  Position shape = strided_1d(self).sizes;
  shape[dim] = index.numel();
  TORCH_CHECK(strided_1d(source).sizes == shape, "source of shape ", source.sizes(),
              " does not fit self of shape ", self.sizes(), " and ", index.numel(), " indices");
}

/// Resizes `out` to self's shape and copies self into it. Throws if it overlaps index or source.
inline void start_out(const Tensor& self, const Tensor& index, const Tensor& source, Tensor& out) {
  TORCH_CHECK(self.scalar_type() == out.scalar_type(), "self is ", self.scalar_type(), ", out ",
              out.scalar_type());
  at::native::resize_output(out, self.sizes());
  check_written(out, index, source);
  at::assert_no_partial_overlap(out, self);
  copy_elements(strided(self), strided(out));
}

}  // namespace planted
