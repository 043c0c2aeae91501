#pragma once
// One child for many jobs, as one on a GPU, whose start is dear: it stays in its slot and waits for
// the next round. The supervisor raises Slot::round and wakes who waits there.

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "run/protocol.h"

namespace indexfuzz {

/// Waits for a round after the one that it took last; true when it has come, false
/// when a second has passed without one.
inline bool await_round(Slot& slot) {
  const std::uint32_t last = slot.taken.load(std::memory_order_relaxed);
  if (slot.round.load(std::memory_order_acquire) == last) {
    const timespec second{1, 0};
    syscall(SYS_futex, &slot.round, FUTEX_WAIT, last, &second, nullptr, 0);
  }
  return slot.round.load(std::memory_order_acquire) != last;
}

/// Takes the job that lies in the slot.
inline void take_round(Slot& slot) {
  slot.taken.store(slot.round.load(std::memory_order_acquire), std::memory_order_release);
}

}  // namespace indexfuzz
