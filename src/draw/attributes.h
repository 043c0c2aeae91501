#pragma once
// Draws the attributes of a call: numbers, dimensions, sizes, flags.

#include "draw/choices.h"
#include "ops/operator.h"

namespace indexfuzz {

/// A value for the attribute of a call on a self of this shape. Dims are legal; a size is a usual
/// one, 0, or in one of 256 draws, or in every other one if `large`, more than 16 bits count.
std::int64_t draw_attribute(Choices& choices, const AttributeSpec& attribute, const Dims& self,
                            bool large);

}  // namespace indexfuzz
