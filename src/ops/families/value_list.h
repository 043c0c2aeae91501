#pragma once
// The operators that put a list of values together. All their operands but `out` are the entries;
// attribute 0 is a dim.

#include "case/limits.h"
#include "ops/definition/operator.h"

namespace indexfuzz {

inline constexpr OperandSpec kValueList[] = {
    {.name = "tensors", .role = Role::kValue, .is_list = true}};
inline constexpr Parameter kValueListParameters[] = {operand(0), attribute(0)};

/// The entries of the case's list.
std::span<Operand> entries_of(Case& c);
std::span<const Operand> entries_of(const Case& c);

/// The dtype to which all entries promote; the first one's for an illegal case in which they do
/// not. https://pytorch.org/docs/stable/tensor_attributes.html#type-promotion-doc
Dtype entries_dtype(const Case& c);

/// The dtype of the result: that of an `out` to which the entries' dtype can be cast, if all have
/// the same one; else that to which they promote. Entries of several dtypes get no other `out`,
/// since it is nowhere said whether their elements are converted by way of the common dtype.
Dtype joined_dtype(const Case& c);

/// Whether all entries promote to the same dtype as those that `takes_part` names alone; the first
/// one stands for them if it names none.
bool all_entries_promote_as(const Case& c, bool (*takes_part)(const Operand&));

/// Brings the number of entries, their dtypes and their fills within bounds, and their shapes
/// within `max_rank`.
void fit_entries(Case& c, const Limits& limits, int max_rank);

/// Joins the entries along a dimension into the dense result. `before`: the number of elements of
/// the dimensions in front of it, the same for all entries that have elements. For each of these
/// places the result holds the elements that the first entry has there, then those of the second,
/// and so on.
void interleave_entries(const OracleInput& input, std::int64_t before, std::byte* destination);

// Rules shared by all of them.

/// Gives an entry a dtype that does not promote with those of the others that `takes_part` names;
/// of the first form: with all others.
bool entry_dtype(Case& c);
bool entry_dtype(Case& c, bool (*takes_part)(const Operand&));
bool uncastable_out(Case& c);  ///< `out` gets a dtype to which the result cannot be cast
bool out_is_entry(Case& c);    ///< `out` shares memory with one of the entries
/// The number of one of the entries that `is_one` names; -1 if there is none.
int choose_entry(const Case& c, bool (*is_one)(const Case& c, int entry));

}  // namespace indexfuzz
