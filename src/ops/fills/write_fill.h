#pragma once

#include <cstddef>

#include "case/case.h"

namespace indexfuzz {

/// Writes the fill of operand k, dense, in logical row-major order, into numel × item_size bytes.
void write_fill(const Case& c, int operand, std::byte* destination);

}  // namespace indexfuzz
