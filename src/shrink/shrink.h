#pragma once
// Smaller cases of the same failure.

#include <functional>
#include <span>
#include <vector>

#include "case/case.h"
#include "case/limits.h"

namespace indexfuzz {

/// Legal cases, each strictly simpler than `c` by `simpler`, boldest first, without duplicates.
std::vector<Case> shrink_candidates(const Case& c, const Limits& limits);

/// A strict order: fewer elements, then lower rank, then plainer layouts, fills, dtypes,
/// attributes.
bool simpler(const Case& a, const Case& b);

/// Returns the index of the first candidate that still fails, or -1.
using FirstFailing = std::function<int(std::span<const Case>)>;

/// Greedy: takes the first candidate that still fails until none does. At most `max_rounds` rounds.
Case shrink(Case c, const Limits& limits, const FirstFailing& first_failing, int max_rounds = 1000);

}  // namespace indexfuzz
