#pragma once
// The supervisor's side of run/steering.h.

#include "case/case.h"
#include "judge/signature.h"
#include "run/protocol.h"

namespace indexfuzz {

/// Tells the workers of a failure by its minimal case and what is essential in it: cases like it
/// they shall run rarely from now on. Failures beyond kMaxSteered are not told: they only cost
/// time.
void steer_away(SharedMemory& memory, const Case& minimal, std::uint32_t implementation,
                const TraitSet& essential);

}  // namespace indexfuzz
