#pragma once
// The supervisor's side of run/steering.h.

#include "campaign/finding.h"
#include "run/protocol.h"

namespace indexfuzz {

/// Tells the workers of a finding whose like they shall run rarely from now on. Findings beyond
/// kMaxSteered are not told: they only cost time.
void steer_away(SharedMemory& memory, const Finding& finding);

}  // namespace indexfuzz
