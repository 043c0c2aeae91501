#pragma once
// Ways to break one rule, shared by the operators. Each changes a legal case and says whether it
// could.

#include "ops/operator.h"

namespace indexfuzz {

/// A number for a rule to choose by, the case's own or an operand's: 0 where no seed is left, so
/// that a shrunk case breaks its rule in the plainest way.
std::uint64_t chance_of(const Case& c);
std::uint64_t chance_of(const Operand& operand, std::uint64_t what);

/// What stands behind a rule's function: IllegalRule::by_value, ::aten_only, ::may_be_empty,
/// ::is_free.
inline constexpr bool kByValue = true, kATenOnly = true, kMayBeEmpty = true, kFree = true;

/// One index becomes `value`, which lies beyond the range of legal ones, or lies further out on
/// that side; false where there is none.
bool poke_index(Case& c, int operand, std::int64_t value);
/// Gives the operand the rank by appending dimensions of size 1; false where it has it already.
bool add_dimension(Case& c, int operand, int rank);
/// The operand loses its last dimension; false where it has fewer than so many.
bool remove_dimension(Case& c, int operand, int least);
/// Gives it one more in front, of that size; false where the rank is not `rank` - 1.
bool add_leading_dimension(Case& c, int operand, int rank, std::int64_t size);
/// Gives the operand a last size that does not broadcast with `other`'s; false where one of them
/// has no dimension, or the other's last one stretches.
bool mismatch_broadcast(Case& c, int operand, const Dims& other);
/// The same of the first of the operand's dimensions.
bool mismatch_broadcast_in_front(Case& c, int operand, const Dims& other);
/// One that does not broadcast with it.
std::int64_t another_size(std::int64_t size);
/// Another size for one of the operand's dimensions; no two of its elements share memory then.
void resize_dimension(Operand& operand, std::size_t dim, std::int64_t size);
/// A complex dtype and value for what the call converts to `target`; false where that is complex,
/// or bool, which asks of any number only whether it is zero.
bool make_complex(Case& c, int operand, Dtype target);
/// An integer or floating number of rank 0 becomes the least power of two beyond what `target`
/// holds; false where that is neither an integer of ATen's own nor float16.
bool overflow_number(Case& c, int operand, Dtype target);
/// The operand becomes a vector of so many elements, laid out as its last dimension; always true.
bool become_vector(Case& c, int operand, std::int64_t elements);
/// The operand has no place along `dim` any more, where indices name one; false where that moves no
/// element.
bool empty_dimension(Case& c, int operand, int dim);
/// The same of self, the first operand, which the call writes; false for `out=`, whose out would
/// no longer have its shape.
bool empty_written_dimension(Case& c, int dim);
bool change_dtype(Case& c, int operand, Dtype dtype);
/// What holds positions or flags becomes floating point, which no kernel takes for them.
bool become_floating(Case& c, int operand);
/// Another dtype than that of operand `other`.
bool mismatch_dtype(Case& c, int operand, int other);
/// `dim` beyond the rank of an operand, or below the least that counts from its end; now and then
/// far out.
bool dim_beyond(Case& c, int attribute, int operand);
bool dim_below(Case& c, int attribute, int operand);
/// Another dtype for `out`; false for other variants.
bool change_out_dtype(Case& c);
/// The written operand's first dimension of two or more elements gets stride 0; false without one.
bool overlap_written(Case& c);
/// The written operand and an input share memory, both dense or with the same gaps: the later one
/// lies in the earlier one, from its first element on or, if it was drawn with a storage offset, up
/// to its last. False where nothing is written, either is empty, or the later one is larger. An
/// `out` of another shape than the result's, which the call resizes, is empty in the input's
/// memory, so that it grows into that.
bool share_memory(Case& c, int input);

}  // namespace indexfuzz
