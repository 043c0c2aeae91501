#pragma once
// A child of the zygote: carries out the job in its slot.

#include <span>

#include "run/call/implementation.h"
#include "run/protocol.h"

namespace indexfuzz {

/// Carries out slot.job, alone in its process, and those that follow it where the job says that the
/// child stays; sets up global state and signal handlers first. Returns when no more is to be done,
/// `slot.stop` is set, or the parent has died.
void carry_out(std::span<const Implementation> implementations, SharedMemory& memory, Slot& slot);

}  // namespace indexfuzz
