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

/// A strict order: fewer elements, then lower ranks, fewer operands, plainer layouts, fills,
/// dtypes, settings and attributes.
bool simpler(const Case& a, const Case& b);

/// Returns the index of the first candidate that still fails, or -1.
using FirstFailing = std::function<int(std::span<const Case>)>;

/// Greedy: replaces the case by its first candidate that still fails, until none does, at most
/// `max_rounds` times.
Case shrink(Case c, const Limits& limits, const FirstFailing& first_failing, int max_rounds = 1000);

}  // namespace indexfuzz
