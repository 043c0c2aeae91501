#pragma once

#include <cstdint>

#include "case/case.h"
#include "case/limits.h"

namespace indexfuzz {

/// Which elements of an operand may lie at the same address.
enum class Overlap : std::uint8_t {
  kNone,      ///< none: of an operand that is written
  kExpanded,  ///< those along expanded dimensions: of masks, segments and boundaries
  kAny,       ///< those along expanded and along sliding dimensions
};

/// Makes the layout fit the rank and the limits, and the fill's `repeats` fit the layout: every
/// expanded dimension repeats.
void settle_layout(Operand& operand, const Limits& limits, Overlap allowed);

/// The number of distinct values that Fill::repeats leaves an operand: its elements without the
/// repeated dimensions. Unlike Numbering, it takes no account of sliding dimensions.
std::int64_t distinct_values(const Operand& operand);

}  // namespace indexfuzz
