#pragma once
// Ways to break a rule by operands that overlap. Each changes a legal case and returns whether it
// could.

#include <cstddef>

#include "ops/definition/operator.h"

namespace indexfuzz {

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
