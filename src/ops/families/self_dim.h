#pragma once
// Shared by the operators (self, dim, index, …): self is operand 0, dim attribute 0.

#include "ops/definition/operator.h"

namespace indexfuzz {

/// The dimension that a legal case names, counted from the front.
inline int dim_of(const Case& c) {
  return wrapped_dim(c.attributes[0], rank(c.operands[0].shape));
}

/// The size of that dimension, the bound of indices into it; as OperatorInfo::index_bound.
inline std::int64_t bound_along_dim(const Case& c, int) {
  return size_at(c.operands[0].shape, dim_of(c));
}

/// Self, where only those of its slices are read that index, operand 1, names along dimension 0; as
/// OperatorInfo::table.
inline TableUse self_along_first_dim(const Case& c) {
  return c.operands[0].shape.empty() || dim_of(c) != 0 ? TableUse{} : TableUse{0, 1};
}
/// As self_along_first_dim(), of an operator that writes these slices: only its in-place variant,
/// since the others copy all of self.
inline TableUse written_self_along_first_dim(const Case& c) {
  return c.variant == Variant::kInPlace ? self_along_first_dim(c) : TableUse{};
}

}  // namespace indexfuzz
