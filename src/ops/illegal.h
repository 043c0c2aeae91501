#pragma once
// Ways to break one rule, shared by the operators. Each changes a legal case and returns whether it
// could.

#include <algorithm>
#include <array>
#include <cstddef>

#include "ops/operator.h"

namespace indexfuzz {

/// The rules that an operator shares with others, and one of its own.
template <std::size_t N>
constexpr std::array<IllegalRule, N + 1> with_rule(const IllegalRule (&shared)[N],
                                                   const IllegalRule& own) {
  std::array<IllegalRule, N + 1> rules;
  std::ranges::copy(shared, rules.begin());
  rules.back() = own;
  return rules;
}

/// A pseudo-random number for a rule's choices, from the seeds of the case or of an operand. 0 if
/// these are 0, so that a shrunk case breaks its rule in the plainest way.
std::uint64_t chance_of(const Case& c);
std::uint64_t chance_of(const Operand& operand, std::uint64_t what);

/// The end of a range beyond which an index is put.
enum class End : bool { kBelow, kAbove };

/// Sets the element at a row-major position to `value`, whatever the fill says.
inline void poke(Operand& operand, std::int64_t position, std::int64_t value) {
  operand.poked = true;
  operand.poke_position = position;
  operand.poke_value = value;
}
/// Sets one index to `value`, which must be out of range, or to one further out on that side; false
/// if the operand has no index to set, or a sliding dimension.
bool poke_index(Case& c, int operand, std::int64_t value);
/// Raises the operand to a rank by appending dimensions of size 1; false if it has that rank, or
/// the rank exceeds kMaxDims.
bool add_dimension(Case& c, int operand, int rank);
/// Removes the operand's last dimension; false if its rank is below `least`.
bool remove_dimension(Case& c, int operand, int least);
/// Adds a dimension of this size in front; false if the operand is empty, or its rank is not one
/// below `rank`.
bool add_leading_dimension(Case& c, int operand, int rank, std::int64_t size);
/// Gives the operand a last size that does not broadcast with `other`'s; false if either has rank
/// 0, or the last size of `other` is 1.
bool mismatch_broadcast(Case& c, int operand, const Dims& other);
/// As mismatch_broadcast(), for the operand's first dimension; false if that is also its last or
/// has no counterpart in `other`, or its counterpart is 1.
bool mismatch_broadcast_in_front(Case& c, int operand, const Dims& other);
/// A size that does not broadcast with `size`, unless that is 1.
std::int64_t another_size(std::int64_t size);
/// Gives one of the operand's dimensions another size, and the operand a layout in which no two
/// elements share memory.
void resize_dimension(Operand& operand, std::size_t dim, std::int64_t size);
/// Gives an operand that the call converts to `target` a complex dtype and value; false if `target`
/// is complex, or bool, for which only being zero or not counts.
bool make_complex(Case& c, int operand, Dtype target);
/// Sets a number of rank 0 to the least power of two beyond the range of `target`; false unless
/// that is uint8, a signed integer dtype or float16.
bool overflow_number(Case& c, int operand, Dtype target);
/// Makes the operand a vector of `elements` elements, laid out as its last dimension; always true.
bool become_vector(Case& c, int operand, std::int64_t elements);
/// Gives `dim` of the operand size 0, so that every index into it is out of range; false if the
/// operand has no such dimension or is empty.
bool empty_dimension(Case& c, int operand, int dim);
/// As empty_dimension(), for self (operand 0); false for the out variant, whose `out` would no
/// longer have the result's shape.
bool empty_written_dimension(Case& c, int dim);
/// Gives the operand another dtype, and zeros; false if it has that dtype already.
bool change_dtype(Case& c, int operand, Dtype dtype);
/// Gives an operand of indices or flags a floating-point dtype, which no kernel accepts for them.
bool become_floating(Case& c, int operand);
/// Gives an operand of indices a signed integer dtype of 8 or 16 bits, which ATen has no indices
/// of; a custom kernel may well take it.
bool become_narrow(Case& c, int operand);
/// Gives the operand a dtype other than that of operand `other`.
bool mismatch_dtype(Case& c, int operand, int other);
/// Set the dim, attribute 0, beyond what OperatorInfo::dim_operand has, or below the least that
/// counts from its end, sometimes far out. Always true.
bool dim_above(Case& c);
bool dim_below(Case& c);
/// Passes the list that begins with attribute `first` without integers, or with its last one twice.
/// Always true.
bool empty_list(Case& c, int first);
bool lengthen_list(Case& c, int first);
/// Makes a kChoice attribute one that there is not. Always true.
bool choose_unknown(Case& c, int attribute);
/// Gives the operand a shape that is not the one it must have: in its last dimension one element
/// more or, where the last two sizes differ and by chance, these the other way round, so that it
/// has as many elements. False if it is empty.
bool misshape(Case& c, int operand);
/// Gives `out` another dtype; false for other variants.
bool change_out_dtype(Case& c);
/// Gives a dimension stride 0, so that the values do not depend on it.
void expand_dimension(Operand& operand, std::size_t dim);
/// Gives stride 0 to the written operand's first dimension of size 2 or more; false if there is
/// none, if nothing is written, or if the operand is empty or the call resizes it.
bool overlap_written(Case& c);
/// Makes the written operand and an input share memory, both dense or with the same gaps. The later
/// one lies in the earlier one, at its beginning or, if it was drawn with a storage offset, at its
/// end. False if nothing is written, either is empty, or the later one is larger. An `out` that the
/// call resizes becomes an empty tensor in the input's memory, into which it then grows.
bool share_memory(Case& c, int input);

}  // namespace indexfuzz
