#pragma once
// Native coverage as a person reads it.

#include <string>

#include "campaign/store/native_totals.h"

namespace indexfuzz {

/// "native coverage: 41,234 of 98,500 blocks (42 %); of the operators tested …"; or why there is
/// none.
std::string in_one_line(const NativeTotals& totals);

/// The line above; then the functions of the operators tested of which less than half is reached,
/// most unreached blocks first, each with the reason as far as it is known; then how many functions
/// are not under test. `all`: all of both.
std::string native_table(const NativeTotals& totals, bool all);

}  // namespace indexfuzz
