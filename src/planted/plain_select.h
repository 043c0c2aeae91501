#pragma once
// A correct index_select, for kernels whose defect is not in the elements of the result.

#include "named_slices.h"

namespace planted {

inline constexpr const char* kSelect = "(Tensor self, int dim, Tensor index) -> Tensor";

/// Copies the slices `rows` of self along `dim` into `result`, which has the right shape.
inline void select_into(const Tensor& self, int64_t dim, const Position& rows,
                        const Tensor& result) {
  const Strided from = strided_1d(self), to = strided_1d(result);
  const Combine move = mover(from.item);
  each_position(to.sizes, [&](const Position& position) {
    Position source = position;
    source[dim] = rows[position[dim]];
    move(to.at(position), from.at(source));
  });
}

/// The checked arguments of an index_select.
struct Selection {
  int64_t dim;
  Position rows;
  Position shape;  ///< of the result
};
inline Selection checked_selection(const Tensor& self, int64_t dim, const Tensor& index) {
  TORCH_CHECK(self.dim() > 0 || index.numel() == 1, "a 0-dim self takes one index");
  check_index_dtype(index);
  Selection selection{c10::maybe_wrap_dim(dim, self.dim()), {}, Position(self.sizes())};
  selection.rows = read_rows(index, strided_1d(self).sizes[selection.dim], 0);
  if (self.dim() > 0) selection.shape[selection.dim] = index.numel();
  return selection;
}

inline Tensor plain_select(const Tensor& self, int64_t dim, const Tensor& index) {
  const Selection selection = checked_selection(self, dim, index);
  const Tensor result = at::empty(selection.shape, self.options());
  select_into(self, selection.dim, selection.rows, result);
  return result;
}

}  // namespace planted
