#pragma once
// Pieces that the operators' own `repair` functions are made of. All are idempotent.

#include <cstdint>

#include "case/case.h"
#include "case/limits.h"

namespace indexfuzz {

/// Sizes 0 or more; rank and number of elements within bounds (a size of 0 counted as 1, so that
/// strides stay small). `max_elements`: 1 to kMostElements.
void clamp_shape(Dims& shape, int max_rank, std::int64_t max_elements);

/// Whether a shape, of any rank that a case may have, has at most so many elements (counted so).
bool is_within(const Dims& shape, const Limits& limits);

/// Takes all elements from the shape of what names places where there is none.
void clamp_to_nothing(Dims& shape);

/// Makes it a shape of exactly so many elements, of the same rank (0 becomes 1).
void hold_elements(Dims& shape, std::int64_t count);

/// Wraps a dimension number into [-max(rank, 1), max(rank, 1)).
void clamp_dim(std::int64_t& dim, int rank);
/// The non-negative form of a legal dimension number.
int wrapped_dim(std::int64_t dim, int rank);
/// The size of a dimension; 1 where there is none, as in a tensor of rank 0.
std::int64_t size_at(const Dims& shape, int dim);

void clamp_bool(std::int64_t& attribute);
/// Into the places of a kChoice attribute's `count` choices.
void clamp_choice(std::int64_t& attribute, std::size_t count);

/// A 0-dimensional tensor that the call converts to `target`, without loss of an imaginary part.
void clamp_zero_dim(Operand& value, Dtype target, const Limits& limits);

/// A number that the call converts to `target`: 0-dimensional, of a dtype that is converted to it
/// without loss of an imaginary part.
void clamp_scalar(Operand& scalar, Dtype target);

/// Moves a dtype into the set (which must not be empty).
void clamp_dtype(Dtype& dtype, DtypeSet allowed);
/// Those of an operator's own dtypes that the limits leave, or all where they leave none.
DtypeSet within(DtypeSet own, const Limits& limits);

/// Gives the operand a fill of the family, keeping its seed.
void clamp_fill(Fill& fill, FillFamily family);

/// Makes the layout fit the rank, the limits and the fill: every expanded dimension repeats.
/// `may_overlap` false (a written operand, a mask): nothing slides, and where `may_expand` is false
/// nothing is expanded.
void settle_layout(Operand& operand, const Limits& limits, bool may_expand, bool may_overlap);

/// Distinct values of an operand and how often each occurs, for `repeats`.
std::int64_t distinct_values(const Operand& operand);

/// Truncates or extends with 1 (in front) to a rank.
void set_rank(Dims& shape, int rank);

/// For operands whose sums the oracle computes: floating point takes only fills that sum exactly in
/// any order or, where nothing is added to one element twice, that round once.
void demand_settled_sums(Operand& self, Operand& source, bool adds_once);
/// The same for sums that are divided: by more than halves.
void demand_settled_means(Operand& self, Operand& source);

}  // namespace indexfuzz
