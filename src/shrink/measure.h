#pragma once
// How simple a case is.

#include <array>
#include <compare>
#include <cstdint>
#include <span>

#include "case/case.h"

namespace indexfuzz {

/// All that an operand with such a fill may have, the plainest first. What fails with several ends
/// with the first of them.
std::span<const Dtype> plainest_dtypes(FillFamily family);

/// Compared from left to right: elements, dimensions, operands, layout, fills, dtypes, attributes.
using Measure = std::array<std::int64_t, 7>;
Measure measure(const Case& c);

}  // namespace indexfuzz
