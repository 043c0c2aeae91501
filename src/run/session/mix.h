#pragma once
// The statistics of what was drawn.

#include "memory/arena.h"
#include "run/shared/tally.h"

namespace indexfuzz {

/// Adds one to a counter that only this process writes.
inline void count(std::atomic<std::uint64_t>& counter) {
  counter.store(counter.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

/// What a case adds to the statistics.
struct CaseMix {
  bool illegal = false, empty = false, strided = false, expanded = false, overlapping = false;
  bool sampled = false;      ///< whether duplicates were looked for
  bool duplicates = false;   ///< an index operand names a position twice
  std::int64_t largest = 0;  ///< elements of its largest operand
};

/// The statistics of the case in the arena. Duplicates are looked for if `number` is a multiple of
/// 8.
CaseMix mix_of(const Arena& arena, std::uint64_t number);
void count_mix(Mix& mix, const CaseMix& c);
/// Counts the case that lies in the arena.
void count_mix(Mix& mix, const Arena& arena);

}  // namespace indexfuzz
