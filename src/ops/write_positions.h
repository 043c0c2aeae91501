#pragma once
// The fills of indices and masks.

#include "case/case.h"

namespace indexfuzz {

/// Writes an index operand's fill, into a dimension of `bound` elements, dense.
void write_indices(const Operand& operand, std::int64_t bound, std::byte* destination);
/// Writes a mask operand's fill, dense.
void write_mask(const Operand& operand, std::byte* destination);

/// Whether an index operand is known to name no position twice, of `bound`.
bool is_distinct(const Operand& index, std::int64_t bound);
/// The same of elements that differ in one dimension alone.
bool is_distinct_along(const Operand& index, int dim, std::int64_t bound);

}  // namespace indexfuzz
