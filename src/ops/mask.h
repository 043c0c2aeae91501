#pragma once
// Masks, and operands that are filled as masks are: how many elements are set is chosen, not left
// to chance, since it decides the shapes of results and sources.

#include "case/limits.h"
#include "ops/operator.h"

namespace indexfuzz {

/// Gives an operand of final dtype and shape the fill of a mask, its layout, and a popcount that
/// fits both. Whatever depends on set_elements() comes after it.
void settle_mask(Operand& mask, const Limits& limits);

/// How many elements of a settled mask are set.
std::int64_t set_elements(const Operand& mask);

/// Whether an element of any dtype is not zero: NaN is not, zeros of either sign are.
bool is_set(Dtype dtype, const std::byte* element);

}  // namespace indexfuzz
