#pragma once
// Reads a case from any bytes, such as libFuzzer's inputs and corpus files.

#include <cstddef>
#include <span>

#include "case/case.h"
#include "case/limits.h"

namespace indexfuzz {

/// Reads the text form, recognized by its first line, or the byte form; the result is legal. A text
/// with several cases gives the last one, which is the one judged. False for a damaged text (text
/// is never repaired) and for too few bytes to name an operator.
bool read_input(std::span<const std::byte> bytes, const Limits& limits, Case& c);

}  // namespace indexfuzz
