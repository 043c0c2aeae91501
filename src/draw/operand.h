#pragma once
// What one operand is drawn from: dtype, layout, fill. Nothing here is repaired.

#include "case/limits.h"
#include "draw/choices.h"
#include "ops/operator.h"

namespace indexfuzz {

/// Half of the time a dtype that most kernels are written for, rarely one that most lack; any of
/// them where it is not allowed.
Dtype draw_dtype(Choices& choices, DtypeSet allowed);

/// Of a number that is passed by value.
Dtype draw_scalar_dtype(Choices& choices);

/// A layout for the operand's rank, contiguous half of the time, and the side of its guard page.
void draw_layout(Choices& choices, const Limits& limits, Operand& operand);
using DimOrder = decltype(Layout::order);
/// Two dimensions change places in memory, or all are shuffled.
void draw_order(Choices& choices, DimOrder& order);
/// How far apart the slices of an operand lie that are not near each other.
Slices far_or_half(Choices& choices);

/// A fill that fits the role, for the operand's dtype and number of elements.
void draw_fill(Choices& choices, Role role, Operand& operand);

/// A shape of its own for an `out`, mostly (0), otherwise like `theme`.
void draw_shape_to_resize(Choices& choices, const Dims& theme, Operand& out);

/// One tensor of an index list that selects along the dimensions of `self` from `dim` on: a mask
/// over one, several or all of them, or positions of about the shape `index_theme`.
void draw_listed_index(Choices& choices, const Limits& limits, const Dims& self,
                       const Dims& index_theme, std::size_t dim, Operand& operand);

}  // namespace indexfuzz
