#pragma once

#include <ATen/ExpandUtils.h>

#include "strided.h"

namespace planted {

/// The shape that self and a bool mask take together.
inline Position masked_shape(const Tensor& self, const Tensor& mask) {
  TORCH_CHECK(mask.scalar_type() == at::kBool, "expected a bool mask, got ", mask.scalar_type());
  return at::infer_size_dimvector(self.sizes(), mask.sizes());
}

/// The same in place, where self cannot be broadcast.
inline Position masked_shape_in_place(const Tensor& self, const Tensor& mask) {
  const Position shape = masked_shape(self, mask);
  TORCH_CHECK(at::IntArrayRef(shape) == self.sizes(), "mask of shape ", mask.sizes(),
              " does not broadcast to self of shape ", self.sizes());
  return shape;
}

inline bool is_set(const Strided& mask, const Position& position) {
  return *mask.broadcast_at(position, position.size()) != 0;
}

}  // namespace planted
