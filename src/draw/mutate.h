#pragma once
// A case near another one: what a coverage-guided engine tries next. Every result is legal, or
// carries a rule that applies to it.

#include <span>

#include "case/case.h"
#include "case/limits.h"
#include "draw/choices.h"
#include "draw/draw.h"

namespace indexfuzz {

/// Changes one trait of a legal case, and what has to follow from that: a size, a rank, a dtype, a
/// trait of a layout, a fill, the form among `targets`, the broken rule, an attribute, an entry of
/// an index list, what only calls on GPUs meet. The operator and the environment stay. Rarely
/// nothing changes. A case of many elements mostly becomes a small one, since it takes the time of
/// hundreds.
void mutate(Choices& choices, std::span<const Target> targets, const Limits& limits, Case& c);

/// Puts parts of another case of the same operator into a legal one: operands or their dtype,
/// shape, layout or fill, attributes, the broken rule. The form, the environment and the settings
/// on GPUs stay.
void splice(Choices& choices, const Case& other, const Limits& limits, Case& c);

}  // namespace indexfuzz
