#pragma once
// Planes: the last two dimensions of an operand that has one or two more.

#include <cstdint>

#include "case/case.h"
#include "case/limits.h"

namespace indexfuzz {

/// The elements of one plane; the shape must have two dimensions or more.
std::int64_t plane_size(const Dims& shape);
/// How many planes there are; a size of 0 counts as 1, as in clamp_shape().
std::int64_t plane_count(const Dims& shape);

/// Gives the shape three or four dimensions, of which only the first may have size 0.
void give_planes(Dims& shape, const Limits& limits);

}  // namespace indexfuzz
