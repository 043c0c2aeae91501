#pragma once
// The cases that differ from one in what templates and dispatch tables are made for: dtypes and
// forms. A kernel has a path of its own for each, which chance meets in the common ones only.

#include <cstdint>
#include <span>

#include "case/limits.h"
#include "draw/draw.h"

namespace indexfuzz {

/// Writes neighbour number `n` of a legal case: its values in another dtype, or its indices and
/// masks, or both; then each other form among `targets`. All are legal; one may be the case itself,
/// or like one before it. False where n lies behind the last, and for a case that breaks a rule,
/// which has none.
bool neighbour(const Case& c, std::span<const Target> targets, const Limits& limits,
               std::uint32_t n, Case& out);

}  // namespace indexfuzz
