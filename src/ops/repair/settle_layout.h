#pragma once

#include <cstdint>

#include "case/case.h"
#include "case/limits.h"

namespace indexfuzz {

/// Makes the layout fit the rank and the limits, and the fill's `repeats` fit the layout: every
/// expanded dimension repeats. Without `may_overlap` (a written operand, a mask) no dimension
/// slides; without `may_expand` none is expanded.
void settle_layout(Operand& operand, const Limits& limits, bool may_expand, bool may_overlap);

/// The number of distinct values that Fill::repeats leaves an operand: its elements without the
/// repeated dimensions. Unlike Numbering, it takes no account of sliding dimensions.
std::int64_t distinct_values(const Operand& operand);

}  // namespace indexfuzz
