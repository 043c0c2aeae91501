#pragma once
// Notes in the slot how a worker ends before its work is done.

#include "memory/arena.h"
#include "run/shared/protocol.h"

namespace indexfuzz {

/// Installs a handler for SIGSEGV, SIGBUS, SIGFPE, SIGILL and SIGABRT on a stack of its own. The
/// handler writes into the slot the signal and whose guard page was touched, and then ends the
/// process by the same signal. From then on, a call of exit() ends the process without running
/// destructors, and a process that a kernel forks ends with this one. Once per process. `slot` must
/// outlive the process, or stop_noting() must be called before it ends.
void note_deaths(Slot& slot);

/// Stops writing into the slot.
void stop_noting();

/// Sets the arena in which the handler looks up a faulting address; null for none.
void watch_arena(const Arena* arena);

}  // namespace indexfuzz
