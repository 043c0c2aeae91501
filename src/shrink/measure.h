#pragma once
// How simple a case is.

#include <array>
#include <compare>
#include <cstdint>

#include "case/case.h"

namespace indexfuzz {

/// Compared from left to right: elements, dimensions, operands, layout, fills, dtypes, attributes.
using Measure = std::array<std::int64_t, 7>;
Measure measure(const Case& c);

}  // namespace indexfuzz
