#pragma once
// Results in memory that the kernel allocated or resized.

#include <optional>

#include "judge/admissible.h"
#include "judge/verdict.h"
#include "memory/observation.h"

namespace indexfuzz {

/// Judges shape, dtype and bounds, then the elements through the strides that came back; none where
/// all is right. `operand`: the resized `out`, or -1.
std::optional<Verdict> judge_fresh(const Arena& arena, const ReturnedTensor& tensor, int operand,
                                   Admissible& admissible);

}  // namespace indexfuzz
