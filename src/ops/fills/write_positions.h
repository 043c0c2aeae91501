#pragma once
// Writes the fills of indices.

#include <cstdint>
#include <vector>

#include "case/case.h"
#include "ops/fills/numbering.h"

namespace indexfuzz {

/// Writes an index operand's fill, into a dimension of `bound` elements, dense; all but a poked
/// element.
void write_indices(const Operand& operand, std::int64_t bound, std::byte* destination);
/// Sets a poked element of an index operand, and those that share memory with it.
void write_poked_index(const Operand& operand, std::byte* destination);
/// ranks[n]: which of the indices of its row names an element of `sorted` that has the value number
/// n. Both have one shape, each row of `index` names each element of a row once, and rows of
/// `sorted` that share their values share their indices.
void write_ranks(const Operand& sorted, const Numbering& numbering, const Operand& index,
                 std::vector<std::int64_t>& ranks);

/// Whether an index operand into `bound` positions is known to name none of them twice.
bool is_distinct(const Operand& index, std::int64_t bound);
/// As is_distinct(), among elements whose coordinates differ only in `dim`.
bool is_distinct_along(const Operand& index, int dim, std::int64_t bound);

}  // namespace indexfuzz
