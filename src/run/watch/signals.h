#pragma once
// How a worker can end before its work is done: noted in the slot, then let through.

#include "memory/arena.h"
#include "run/protocol.h"

namespace indexfuzz {

/// Installs a handler for SIGSEGV, SIGBUS, SIGFPE, SIGILL and SIGABRT on a stack of its own: it
/// writes signal, address and whose guard page was touched into the slot, and ends the process by
/// the same signal. A call of exit() ends it without any destructor, and a process that a kernel
/// forks ends with this one. Once per process; slot must outlive the process or `stop_noting()`.
void note_deaths(Slot& slot);

/// The slot is not written any more.
void stop_noting();

/// The arena whose operands the handler looks an address up in; null for none.
void watch_arena(const Arena* arena);

}  // namespace indexfuzz
