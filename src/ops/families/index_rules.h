#pragma once
// What index and index_put share besides advanced_index.h: the bound of a position and the rules
// that a list of indices can break. Each rule changes a legal case and returns whether it could.

#include "ops/operator.h"

namespace indexfuzz {

/// The bound of the positions in `operand` of the list, as OperatorInfo::index_bound.
std::int64_t bound_in_list(const Case& c, int self, int list_begin, int operand);

/// The first operand of the list that holds positions or, with `mask`, is a mask; -1 if there is
/// none.
int first_of_list(const Case& c, int list_begin, bool mask);

/// Whether the list selects any element; if not, ATen does not look at the positions.
bool selects_something(const Case& c, int self, int list_begin);

/// Puts one position of the first position tensor out of range, above or below.
bool poke_position(Case& c, int self, int list_begin, bool above);
/// As poke_position(), for any later position tensor.
bool poke_later_position(Case& c, int self, int list_begin, bool above);
/// Gives size 0 to the dimension of self that the first position tensor selects along.
bool empty_indexed_dimension(Case& c, int self, int list_begin);
/// Gives the first position tensor, or any later one, a floating-point dtype.
bool change_position_dtype(Case& c, int list_begin);
bool change_later_position_dtype(Case& c, int list_begin);
/// Makes the first mask one element longer than self in its last dimension.
bool enlarge_mask(Case& c, int list_begin);
/// Makes any mask one element longer, or shorter, in any dimension.
bool lengthen_mask(Case& c, int list_begin);
bool shorten_mask(Case& c, int list_begin);
/// Gives the first position tensor a last size that does not broadcast with the rest of the list.
bool mismatch_positions(Case& c, int list_begin);
/// Gives any mask a number of set elements that does not broadcast with the rest of the list.
bool mismatch_masks(Case& c, int list_begin);
/// Appends a position tensor to a list that takes all dimensions of self; false for other lists.
bool add_one_index_too_many(Case& c, int self, int list_begin);
/// Empties the list; always true.
bool leave_no_index(Case& c, int list_begin);

}  // namespace indexfuzz
