#pragma once
// What index and index_put share besides advanced_index.h: the bound of a position and the rules
// that a list of indices can break. Each rule changes a legal case and says whether it could.

#include "ops/operator.h"

namespace indexfuzz {

/// Positions of operand k of the list lie below this; as OperatorInfo::index_bound.
std::int64_t bound_in_list(const Case& c, int self, int list_begin, int operand);

/// The first operand of the list that holds positions, or holds a mask; -1 without one.
int first_of_list(const Case& c, int list_begin, bool mask);

/// Whether the list selects an element at all: ATen looks at positions only then.
bool selects_something(const Case& c, int self, int list_begin);

/// One position of the first position tensor beyond its dimension, above or below.
bool poke_position(Case& c, int self, int list_begin, bool above);
/// The same of any later one.
bool poke_later_position(Case& c, int self, int list_begin, bool above);
/// Self has no place along the dimension of the first position tensor.
bool empty_indexed_dimension(Case& c, int self, int list_begin);
/// The first position tensor, or a later one, of a dtype that is none for positions.
bool change_position_dtype(Case& c, int list_begin);
bool change_later_position_dtype(Case& c, int list_begin);
/// The first mask with one row more in its last dimension than self has there.
bool enlarge_mask(Case& c, int list_begin);
/// Any mask with one row more, or less, in any dimension.
bool lengthen_mask(Case& c, int list_begin);
bool shorten_mask(Case& c, int list_begin);
/// The last size of the first position tensor no longer broadcasts with the others of the list.
bool mismatch_positions(Case& c, int list_begin);
/// Any mask has another number of true elements, which does not broadcast with the others.
bool mismatch_masks(Case& c, int list_begin);
/// One position tensor more than self has dimensions.
bool add_one_index_too_many(Case& c, int self, int list_begin);
/// A list of nothing.
bool leave_no_index(Case& c, int list_begin);

}  // namespace indexfuzz
