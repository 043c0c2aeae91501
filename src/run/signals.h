#pragma once
// Fatal signals: noted in the slot, then let through.

#include "memory/arena.h"
#include "run/protocol.h"

namespace indexfuzz {

/// Installs a handler for SIGSEGV, SIGBUS, SIGFPE, SIGILL and SIGABRT on a stack of its own: it
/// writes signal, address and whose guard page was touched into the slot, and ends the process by
/// the same signal. Once per process; slot must outlive it.
void note_fatal_signals(Slot& slot);

/// The arena whose operands the handler looks an address up in; null for none.
void watch_arena(const Arena* arena);

}  // namespace indexfuzz
