#pragma once
// Each function changes one trait of one operand, or of several operands alike, or the form.
// Private to this folder; the caller repairs the case.

#include "case/limits.h"
#include "draw/choices.h"
#include "draw/draw.h"
#include "ops/definition/operator.h"

namespace indexfuzz {

/// Gives the case the overload and variant of `target`. Adds an `out` with a drawn fill and layout
/// if the new variant needs one and the old one had none, and drops it if the new one has none.
void become(Choices& choices, const Target& target, const Limits& limits, Case& c);
/// Changes one size: by 1, to a boundary, to 1, to 0, or to twice the size. Half of the time every
/// operand that has that size in the same dimension changes with it.
void change_size(Choices& choices, Case& c);
/// Adds or drops a dimension, sometimes several; half of the time in all operands of that rank.
void change_rank(Choices& choices, const Limits& limits, Case& c);
/// Draws another dtype, half of the time for all operands of that role and dtype.
void redraw_dtype(Choices& choices, const Limits& limits, Case& c);
/// Changes one trait of a layout, or draws a new layout.
void change_layout(Choices& choices, const Limits& limits, Case& c);
/// Changes one field of a fill, or draws a new fill.
void change_fill(Choices& choices, Case& c);

}  // namespace indexfuzz
