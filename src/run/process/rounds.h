#pragma once
// How one child does many jobs, for jobs on a GPU, whose start is expensive: it stays in its slot
// and waits for the next round. The supervisor raises Slot::round and wakes the child.

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "run/shared/protocol.h"

namespace indexfuzz {

/// Waits for a round after the one that was taken last; false if a second passes without one.
inline bool await_round(Slot& slot) {
  const std::uint32_t last = slot.taken.load(std::memory_order_relaxed);
  if (slot.round.load(std::memory_order_acquire) == last) {
    const timespec second{1, 0};
    syscall(SYS_futex, &slot.round, FUTEX_WAIT, last, &second, nullptr, 0);
  }
  return slot.round.load(std::memory_order_acquire) != last;
}

/// Marks the slot's current job as taken.
inline void take_round(Slot& slot) {
  slot.taken.store(slot.round.load(std::memory_order_acquire), std::memory_order_release);
}

}  // namespace indexfuzz
