#pragma once
// Draws the dtype, layout, fill and shape of one operand. The caller repairs the case.

#include "case/limits.h"
#include "draw/choices.h"
#include "ops/definition/operator.h"

namespace indexfuzz {

/// Half of the time a dtype that most kernels support, rarely one that most lack. A draw outside
/// `allowed` is replaced by any dtype, also one that is not allowed.
Dtype draw_dtype(Choices& choices, DtypeSet allowed);

/// One of kIntegralDtypes, mostly one of 32 or 64 bits.
Dtype draw_integral_dtype(Choices& choices);

/// The dtype of a number that is passed by value.
Dtype draw_scalar_dtype(Choices& choices);

/// Draws a layout for the operand's rank (contiguous half of the time), the side of its guard page
/// and whether its slices lie far apart.
void draw_layout(Choices& choices, const Limits& limits, Operand& operand);
using DimOrder = decltype(Layout::order);
/// Swaps two dimensions in memory, or shuffles all.
void draw_order(Choices& choices, DimOrder& order);
/// A memory order for operands to share, as in a channels-last model or a transposed batch.
DimOrder draw_shared_order(Choices& choices, int rank);
/// Makes the layout dense, with the dimensions in this order in memory.
void lay_out_densely(const DimOrder& order, Layout& layout);
/// Expands all dimensions but one, as in `index.view(-1, 1).expand(-1, n)`, which indexes rows;
/// rank 1 or more.
void expand_all_but_one(Choices& choices, Layout& layout);
/// SlicePlacement::kApartBy2To31 or SlicePlacement::kApartBy2To30.
SlicePlacement far_or_half(Choices& choices);
/// Whether an operand of some cases of this operator may be the last slices of a table.
bool takes_table(const Case& c, const Limits& limits);
/// Makes it that, in a case that takes_table(). Drawn independently of one another, its layout and
/// the dim of the call would seldom allow it.
void draw_table(Choices& choices, Case& c);

/// A fill that fits the role, for the operand's dtype and number of elements.
void draw_fill(Choices& choices, Role role, Operand& operand);

/// Gives an `out` a shape that the call has to resize: mostly (0), otherwise one related to
/// `theme`.
void draw_shape_to_resize(Choices& choices, const Dims& theme, Operand& out);

/// Draws one tensor of an index list that selects along the dimensions of `self` from `dim` on: a
/// mask over one, several or all of them, or positions whose shape resembles `index_theme`.
void draw_listed_index(Choices& choices, const Limits& limits, const Dims& self,
                       const Dims& index_theme, std::size_t dim, Operand& operand);

}  // namespace indexfuzz
