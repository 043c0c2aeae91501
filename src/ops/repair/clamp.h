#pragma once
// Building blocks of the operators' own `repair` functions. All are idempotent.

#include <cstdint>

#include "case/case.h"
#include "case/limits.h"

namespace indexfuzz {

/// Makes all sizes 0 or more, and brings the rank and the number of elements within bounds. A size
/// of 0 counts as 1, so that strides stay small. `max_elements`: 1 to kMostElements.
void clamp_shape(Dims& shape, int max_rank, std::int64_t max_elements);

/// Whether a shape has at most kMaxDims dimensions and at most limits.max_elements elements,
/// counted as in clamp_shape().
bool is_within(const Dims& shape, const Limits& limits);

/// Empties the shape of an index into something empty, where no index would be legal.
void clamp_to_nothing(Dims& shape);

/// Makes the shape hold exactly `count` elements, at the same rank (0 becomes 1 unless `count` is
/// 1).
void hold_elements(Dims& shape, std::int64_t count);

/// Wraps a dimension number into [-max(rank, 1), max(rank, 1)).
void clamp_dim(std::int64_t& dim, int rank);

/// Makes a kBool attribute 0 or 1.
void clamp_bool(std::int64_t& attribute);
/// Makes an attribute a number that can be negated.
void clamp_any_int(std::int64_t& attribute);
/// Wraps a kChoice or kCode attribute into [0, count).
void clamp_choice(std::int64_t& attribute, std::size_t count);

/// Makes `value` a 0-dimensional tensor that converts to `target` without losing an imaginary part.
void clamp_zero_dim(Operand& value, Dtype target, const Limits& limits);

/// Makes `scalar` a number: 0-dimensional, of one of kScalarDtypes that converts to `target`
/// without losing an imaginary part.
void clamp_scalar(Operand& scalar, Dtype target);
/// Gives a number back the fill kWrapped1, if it was drawn with it and converts to `target` in a
/// way that alters it; clamp_fill() takes it away.
void keep_wrapped(Operand& scalar, FillKind drawn, Dtype target);

/// Moves a dtype into the set (which must not be empty).
void clamp_dtype(Dtype& dtype, DtypeSet allowed);
/// The dtypes of `own` that the limits allow, or all of `own` if they allow none.
DtypeSet within(DtypeSet own, const Limits& limits);

/// Gives the operand a fill of the family, keeping its seed.
void clamp_fill(Fill& fill, FillFamily family);

}  // namespace indexfuzz
