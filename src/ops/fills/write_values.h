#pragma once

#include "case/case.h"

namespace indexfuzz {

/// Writes the fill of an operand that holds values, dense, as elements of `dtype`, which need not
/// be the operand's.
void write_values(const Case& c, int operand, Dtype dtype, std::byte* destination);

}  // namespace indexfuzz
