#pragma once
// Native coverage as text for people.

#include <string>

#include "campaign/counts/native_totals.h"

namespace indexfuzz {

/// "native coverage: 41,234 of 98,500 blocks (42 %); of the operators tested …"; or, if there is no
/// native coverage, why not.
std::string in_one_line(const NativeTotals& totals);

/// in_one_line(); then the functions of the tested operators of which less than half was reached,
/// most unreached blocks first, each with the reason; then the number of functions that are not
/// under test. `all`: lists all functions of both groups.
std::string native_table(const NativeTotals& totals, bool all);

}  // namespace indexfuzz
