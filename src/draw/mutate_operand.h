#pragma once
// One change of one operand, of the same thing in several, or of the form. Private to this folder;
// nothing here is repaired.

#include "case/limits.h"
#include "draw/choices.h"
#include "draw/draw.h"
#include "ops/operator.h"

namespace indexfuzz {

/// Takes another form of the operator. One that has an `out` gets one, with a layout; where it
/// lacks one, that of before goes.
void become(Choices& choices, const Target& target, const Limits& limits, Case& c);
/// One size: a neighbour, a boundary, 1, 0, the double; half of the time wherever that dimension
/// has that size.
void change_size(Choices& choices, Case& c);
/// A dimension more or less, half of the time in all operands of that rank.
void change_rank(Choices& choices, const Limits& limits, Case& c);
/// Another dtype, half of the time for all operands of that role and dtype.
void change_dtype(Choices& choices, const Limits& limits, Case& c);
/// One trait of a layout, or a new layout.
void change_layout(Choices& choices, const Limits& limits, Case& c);
/// One field of a fill, or a new fill.
void change_fill(Choices& choices, Case& c);

}  // namespace indexfuzz
