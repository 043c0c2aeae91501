#pragma once
// How simple a case is.

#include <array>
#include <compare>
#include <cstdint>
#include <span>

#include "case/case.h"

namespace indexfuzz {

/// The dtypes that an operand with a fill of this family may have, the plainest first. A case that
/// fails with several of them shrinks to the first of these.
std::span<const Dtype> plainest_dtypes(FillFamily family);

/// Compared from left to right: elements, dimensions, operands, layouts (with guards and slices),
/// fills, dtypes, and last the environment, the GPU settings and the attributes together.
using Measure = std::array<std::int64_t, 7>;
Measure measure(const Case& c);

}  // namespace indexfuzz
