#pragma once
// The statistics of what was drawn.

#include "memory/arena.h"
#include "run/protocol.h"

namespace indexfuzz {

/// Adds one to a counter that only this process writes.
inline void count(std::atomic<std::uint64_t>& counter) {
  counter.store(counter.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

/// Counts the case that lies in the arena.
void count_mix(Mix& mix, const Arena& arena);

}  // namespace indexfuzz
