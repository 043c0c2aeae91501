#pragma once
// What index and index_put share besides advanced_index.h: the bound of a position and the rules
// that a list of indices can break. Each rule changes a legal case and returns whether it could.

#include "ops/definition/operator.h"
#include "ops/illegal/break_values.h"

namespace indexfuzz {

/// The bound of the positions in `operand` of the list, as OperatorInfo::index_bound.
std::int64_t bound_in_list(const Case& c, int operand);
/// Self, of which the list's first entry selects slices, as OperatorInfo::table.
TableUse self_by_first_index(const Case& c);

/// The first operand of the list that holds positions; -1 if there is none.
int first_positions(const Case& c);

/// Whether the list selects any element; if not, ATen does not look at the positions.
bool selects_something(const Case& c);

/// Puts one position of the first position tensor out of range.
bool poke_position(Case& c, End end);
/// As poke_position(), for any later position tensor.
bool poke_later_position(Case& c, End end);
/// Gives size 0 to the dimension of self that the first position tensor selects along.
bool empty_indexed_dimension(Case& c);
/// Gives the first position tensor, or any later one, a floating-point dtype.
bool change_position_dtype(Case& c);
bool narrow_position_dtype(Case& c);
bool change_later_position_dtype(Case& c);
/// Makes the first mask one element longer than self in its last dimension.
bool enlarge_mask(Case& c);
/// Makes any mask one element longer, or shorter, in any dimension.
bool lengthen_mask(Case& c);
bool shorten_mask(Case& c);
/// Gives the first position tensor a last size that does not broadcast with the rest of the list.
bool mismatch_positions(Case& c);
/// Gives any mask a number of set elements that does not broadcast with the rest of the list.
bool mismatch_masks(Case& c);
/// Appends a position tensor to a list that takes all dimensions of self; false for other lists.
bool add_one_index_too_many(Case& c);
/// Empties the list; always true.
bool leave_no_index(Case& c);

}  // namespace indexfuzz
