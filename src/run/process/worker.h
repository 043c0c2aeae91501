#pragma once
// A child of the zygote: carries out the job in its slot.

#include <span>

#include "run/call/implementation.h"
#include "run/shared/protocol.h"

namespace indexfuzz {

/// Sets up global state and signal handlers, then carries out slot.job, alone in its process, and
/// the jobs that follow it if the child is to stay. Returns when nothing is left to do, `slot.stop`
/// is set, or the parent has died.
void carry_out(std::span<const Implementation> implementations, SharedMemory& memory, Slot& slot);

}  // namespace indexfuzz
