#pragma once
// Shared by the operators (self, dim, index, …): self is operand 0, dim attribute 0.

#include "ops/operator.h"

namespace indexfuzz {

/// The dimension that a legal case names, counted from the front.
inline int dim_of(const Case& c) {
  return wrapped_dim(c.attributes[0], rank(c.operands[0].shape));
}

/// The size of that dimension, the bound of indices into it; as OperatorInfo::index_bound.
inline std::int64_t bound_along_dim(const Case& c, int) {
  return size_at(c.operands[0].shape, dim_of(c));
}

}  // namespace indexfuzz
