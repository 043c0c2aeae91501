#pragma once
// Draws the attributes of a call: numbers, dimensions, sizes, flags.

#include "draw/choices.h"
#include "ops/definition/operator.h"

namespace indexfuzz {

/// A value for the attribute of a call on a self of this shape. Dimensions are ones that self has.
/// A number of elements is a usual size, now and then 0 or some thousands, and in one of 256 draws
/// (every other one if `large`) 65,536 or more.
std::int64_t draw_attribute(Choices& choices, const AttributeSpec& attribute, const Dims& self,
                            bool large);

}  // namespace indexfuzz
