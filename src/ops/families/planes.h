#pragma once
// Planes: the last two dimensions of an operand that has one or two more; or, where `dims` is 3,
// volumes, its last three.

#include <cstdint>

#include "case/case.h"
#include "case/limits.h"

namespace indexfuzz {

/// The elements of one plane; the shape must have `dims` dimensions or more.
std::int64_t plane_size(const Dims& shape, int dims = 2);
/// How many planes there are; a size of 0 counts as 1, as in clamp_shape().
std::int64_t plane_count(const Dims& shape, int dims = 2);

/// Gives the shape one or two dimensions before those of a plane. Only its first dimension may have
/// size 0.
void give_planes(Dims& shape, const Limits& limits, int dims = 2);

}  // namespace indexfuzz
