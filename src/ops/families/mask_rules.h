#pragma once
// The illegal rules that the operators (self, mask, …) share: self is operand 0, the mask
// operand 1. Each changes a legal case and returns whether it could.

#include "ops/definition/operator.h"
#include "ops/illegal/break_dtypes.h"
#include "ops/illegal/break_shapes.h"

namespace indexfuzz::mask_rules {

/// Gives the mask a floating-point dtype.
inline bool mask_dtype(Case& c) {
  return become_floating(c, 1);
}
/// Give the mask a last or a first size that does not broadcast with self's.
inline bool mask_shape(Case& c) {
  return mismatch_broadcast(c, 1, c.operands[0].shape);
}
inline bool mask_shape_in_front(Case& c) {
  return mismatch_broadcast_in_front(c, 1, c.operands[0].shape);
}
/// Give the mask of an in-place call a dimension of size 1 or 2 in front, which self lacks.
inline bool mask_rank(Case& c) {
  return c.variant == Variant::kInPlace &&
         add_leading_dimension(c, 1, rank(c.operands[0].shape) + 1, 1);
}
inline bool mask_larger_than_self(Case& c) {
  return c.variant == Variant::kInPlace &&
         add_leading_dimension(c, 1, rank(c.operands[0].shape) + 1, 2);
}

}  // namespace indexfuzz::mask_rules
