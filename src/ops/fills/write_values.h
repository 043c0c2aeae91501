#pragma once

#include "case/case.h"

namespace indexfuzz {

/// Writes the fill of an operand that holds values, dense, as elements of `dtype`, which need not
/// be the operand's.
void write_values(const Case& c, int operand, Dtype dtype, std::byte* destination);

/// Lets kSorted1 and kSearched1 write small integers, of magnitudes below 128, in every dtype: with
/// one seed in four they are the largest that a dtype holds exactly.
void make_sorted_small(Fill& fill);

}  // namespace indexfuzz
