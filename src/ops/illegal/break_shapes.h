#pragma once
// Ways to break a rule by an operand of another shape. Each changes a legal case and returns
// whether it could.

#include "ops/definition/operator.h"

namespace indexfuzz {

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
/// Makes the operand a vector of `elements` elements, laid out as its last dimension; always true.
bool become_vector(Case& c, int operand, std::int64_t elements);
/// Gives `dim` of the operand size 0, so that every index into it is out of range; false if the
/// operand has no such dimension or is empty.
bool empty_dimension(Case& c, int operand, int dim);
/// As empty_dimension(), for self (operand 0); false for the out variant, whose `out` would no
/// longer have the result's shape.
bool empty_written_dimension(Case& c, int dim);
/// Gives the operand a shape that is not the one it must have: in its last dimension one element
/// more or, where the last two sizes differ and by chance, these the other way round, so that it
/// has as many elements. False if it is empty.
bool misshape(Case& c, int operand);

}  // namespace indexfuzz
