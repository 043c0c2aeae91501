#pragma once
// Any bytes as a case, as libFuzzer and corpora have them.

#include <cstddef>
#include <span>

#include "case/case.h"
#include "case/limits.h"

namespace indexfuzz {

/// Reads the text form, known by its first line, or the byte form; the result is legal. Of a text
/// with several cases it is the last one, which is judged. False for a damaged text, which is never
/// repaired, and for bytes too few to name an operator.
bool read_input(std::span<const std::byte> bytes, const Limits& limits, Case& c);

}  // namespace indexfuzz
