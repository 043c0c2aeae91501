#pragma once
// How a worker may end before its work is done: noted in the slot, then let happen.

#include "memory/arena.h"
#include "run/shared/protocol.h"

namespace indexfuzz {

/// Installs a handler for SIGSEGV, SIGBUS, SIGFPE, SIGILL and SIGABRT on a stack of its own. It
/// writes into the slot the signal and whose guard page was touched, and ends the process by the
/// same signal. A call of exit() then ends the process without any destructor, and a process that a
/// kernel forks ends with this one. Once per process; `slot` must outlive the process or
/// stop_noting().
void note_deaths(Slot& slot);

/// Stops writing into the slot.
void stop_noting();

/// Sets the arena in which the handler looks up a faulting address; null for none.
void watch_arena(const Arena* arena);

}  // namespace indexfuzz
