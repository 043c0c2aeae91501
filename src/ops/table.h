#pragma once
// Tables of more than 2^31 or 2^32 elements, of which a call reads or writes the last slices alone.
//
// The operand of a case is these slices (Slices::kLast, ::kFarLast), and its indices count from the
// first of them: so draws, the oracle and the judge see few elements. What a call is given has as
// many more slices in front as slices_in_front() says, and its indices are higher by that number;
// negative ones, which count from the end, stay as they are. An offset that is computed in 32 bits
// then leads elsewhere, also in a kernel that takes contiguous tensors alone.

#include <cstddef>
#include <cstdint>

#include "ops/operator.h"

namespace indexfuzz {

/// Whether operand k of a legal case, which asks for it, can be the last slices of a table.
bool may_be_table(const Case& c, int operand);
/// Whether any operand is.
bool has_table(const Case& c);
/// By how much the indices of operand k are higher in a call than in the case; 0 if they name no
/// slices of a table.
std::int64_t raised_by(const Case& c, int operand);
/// Raises the dense indices of operand k, in place.
void raise_indices(const Case& c, int operand, std::byte* indices);

}  // namespace indexfuzz
