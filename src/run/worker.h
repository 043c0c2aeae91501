#pragma once
// A child of the zygote: carries out the job in its slot.

#include <span>

#include "run/implementation.h"
#include "run/protocol.h"

namespace indexfuzz {

/// Carries out slot.job, alone in its process; sets up global state and signal handlers first.
/// Returns when the job is done, `slot.stop` is set, or the parent has died.
void carry_out(std::span<const Implementation> implementations, SharedMemory& memory, Slot& slot);

}  // namespace indexfuzz
