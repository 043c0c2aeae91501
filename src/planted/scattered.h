#pragma once
// What the planted scatter, scatter_add and scatter_reduce share.

#include "strided.h"

namespace planted {

inline void check_scattered_index(const Tensor& self, int64_t dim, const Tensor& index) {
  if (index.numel() == 0) return;
  check_index_dtype(index);
  const Strided to = strided_1d(self), which = strided_1d(index);
  TORCH_CHECK(which.sizes.size() == to.sizes.size(), "self and index differ in rank");
  for (size_t d = 0; d < which.sizes.size(); ++d)
    TORCH_CHECK(static_cast<int64_t>(d) == dim || which.sizes[d] <= to.sizes[d], "index of shape ",
                index.sizes(), " is larger than self of shape ", self.sizes(),
                " apart from dimension ", dim);
}

inline void check_scattered(const Tensor& self, int64_t dim, const Tensor& index,
                            const Tensor& src) {
  check_scattered_index(self, dim, index);
  TORCH_CHECK(self.scalar_type() == src.scalar_type(), "self is ", self.scalar_type(), ", src ",
              src.scalar_type());
  if (index.numel() == 0) return;
  const Strided which = strided_1d(index), from = strided_1d(src);
  TORCH_CHECK(which.sizes.size() == from.sizes.size(), "index and src differ in rank");
  for (size_t d = 0; d < which.sizes.size(); ++d)
    TORCH_CHECK(which.sizes[d] <= from.sizes[d], "index of shape ", index.sizes(),
                " is larger than src of shape ", src.sizes());
}

/// Resizes `out` to self's shape and copies self into it. As in ATen, and unlike in gather, an
/// `out` that overlaps itself is refused even if it would be resized.
inline void start_scattered_out(const Tensor& self, const Tensor& index, const Tensor& src,
                                Tensor& out) {
  TORCH_CHECK(self.scalar_type() == out.scalar_type(), "self is ", self.scalar_type(), ", out ",
              out.scalar_type());
  check_written(out, index, src);
  at::native::resize_output(out, self.sizes());
  at::assert_no_partial_overlap(out, self);
  copy_elements(strided(self), strided(out));
}

/// Calls visit(position in the index, element of result that it names) for every element of the
/// index. Throws if one is out of range.
template <class Visit>
void each_named(const Tensor& result, int64_t dim, const Tensor& index, Visit&& visit) {
  const Strided to = strided_1d(result), which = strided_1d(index);
  each_position(which.sizes, [&](const Position& position) {
    Position target = position;
    target[dim] = read_index(which.at(position), which.item);
    TORCH_CHECK_INDEX(target[dim] >= 0 && target[dim] < to.sizes[dim], "index ", target[dim],
                      " is out of range for size ", to.sizes[dim]);
    visit(position, to.at(target));
  });
}

}  // namespace planted
