#pragma once
// Whether a written operand is still where it was.

#include "memory/arena.h"
#include "memory/observation.h"

namespace indexfuzz {

/// Whether the tensor has operand k's dtype, shape and strides, and its first element, if any,
/// where that operand lies in the arena.
bool is_same_view(const Arena& arena, int operand, const ReturnedTensor& tensor);

}  // namespace indexfuzz
