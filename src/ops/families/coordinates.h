#pragma once
// Shared by nonzero and nonzero_static, whose self is operand 0.

#include "ops/definition/operator.h"

namespace indexfuzz {

/// Writes the positions of the first `most` elements of self that are not zero, in row-major order,
/// each as int64 coordinates. Returns how many there were, at most `most`.
std::int64_t write_coordinates(const OracleInput& input, std::int64_t most, std::byte* destination);

}  // namespace indexfuzz
