#pragma once
// Failures that show only behind other cases in the same process.

#include <vector>

#include "campaign/examine/examine.h"
#include "campaign/workers/runner.h"

namespace indexfuzz {

/// The smallest cases, the last of which fails as `c` does behind `options.before`: first the
/// fewest cases before it, in chunks and then singly, then the smallest form of the last one, then
/// of each before it. All have the last one's capability. Nothing before it: `shrink_failure`
/// alone.
std::vector<Case> shrink_sequence(Runner& runner, const Case& c, const Confirmation& confirmation,
                                  ExamineOptions options);

}  // namespace indexfuzz
