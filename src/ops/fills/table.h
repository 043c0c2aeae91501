#pragma once
// Tables of more than 2^31 or 2^32 elements, of which a call reads or writes the last slices alone.
//
// The operand of a case is these slices (SlicePlacement::kLastBehind2To31, ::kLastBehind2To32), and
// its indices count from the first of them: draws, the oracle and the judge see few elements. A
// call is given a tensor with slices_in_front() more slices in front, and indices that are higher
// by that number; negative ones, which count from the end, stay as they are. An offset that is
// computed in 32 bits then leads elsewhere, even in a kernel that takes contiguous tensors only.

#include <cstddef>
#include <cstdint>

#include "ops/definition/operator.h"

namespace indexfuzz {

/// Whether operand k of a legal case, whose slices are_last(), can be the last slices of a table.
bool may_be_table(const Case& c, int operand);
/// Whether any operand is.
bool has_table(const Case& c);
/// By how much the indices of operand k are higher in a call than in the case; 0 if they name no
/// slices of a table.
std::int64_t raised_by(const Case& c, int operand);
/// Raises the dense indices of operand k, in place.
void raise_indices(const Case& c, int operand, std::byte* indices);

}  // namespace indexfuzz
