#pragma once
// Writes the fills of masks.

#include <cstddef>

#include "case/case.h"

namespace indexfuzz {

/// Writes a mask operand's fill, dense.
void write_mask(const Operand& operand, std::byte* destination);
/// As write_mask(), in an operand of another dtype than bool and uint8.
void write_truths(const Operand& operand, std::byte* destination);

}  // namespace indexfuzz
