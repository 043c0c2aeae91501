#pragma once
// Makes a case near another one, for a coverage-guided engine to try next. Every result is legal,
// or names a rule to break that applies to it.

#include <span>

#include "case/case.h"
#include "case/limits.h"
#include "draw/choices.h"
#include "draw/draw.h"

namespace indexfuzz {

/// Changes one trait of a legal case, and whatever must follow from that: a size, a rank, a dtype,
/// a trait of a layout, a fill, the form (one of `targets`), the broken rule, an attribute, an
/// entry of an index list, the shape of `out`, or what only calls on GPUs meet. Keeps the operator
/// and the environment. Rarely changes nothing. Also makes most large cases small, since one of
/// them takes the time of hundreds.
void mutate(Choices& choices, std::span<const Target> targets, const Limits& limits, Case& c);

/// Copies parts of another case of the same operator into a legal one: whole operands or their
/// dtype, shape, layout or fill, attributes, the broken rule. Keeps the form, the environment and
/// the GPU settings.
void splice(Choices& choices, const Case& other, const Limits& limits, Case& c);

}  // namespace indexfuzz
