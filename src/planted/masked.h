#pragma once

#include <ATen/ExpandUtils.h>

#include "strided.h"

namespace planted {

/// The shape to which self and mask broadcast. Throws unless mask is bool.
inline Position masked_shape(const Tensor& self, const Tensor& mask) {
  TORCH_CHECK(mask.scalar_type() == at::kBool, "expected a bool mask, got ", mask.scalar_type());
  return at::infer_size_dimvector(self.sizes(), mask.sizes());
}

/// As masked_shape(), for an in-place kernel: throws if that shape is not self's.
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
