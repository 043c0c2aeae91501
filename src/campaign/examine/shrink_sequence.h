#pragma once
// Failures that occur only after other cases in the same process.

#include <vector>

#include "campaign/examine/minimize.h"
#include "campaign/workers/runner.h"

namespace indexfuzz {

/// The smallest cases, the last of which fails as `c` does after `options.before`. Drops cases
/// before it, in chunks and then singly, then shrinks the last one, then each before it. All get
/// the last one's capability. With nothing before it, the same as shrink_failure().
std::vector<Case> shrink_sequence(Runner& runner, const Case& c, const Confirmation& confirmation,
                                  ExamineOptions options);

}  // namespace indexfuzz
