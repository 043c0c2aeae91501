#pragma once
// The failures that the supervisor has dealt with, as workers and supervisor look them up.
// Torch-free.

#include <algorithm>

#include "judge/signature.h"
#include "run/protocol.h"

namespace indexfuzz {

/// Whether a failing case with this key and these traits is a duplicate of one of them.
inline bool is_known_failure(const SharedMemory& memory, std::uint64_t key, const TraitSet& all) {
  const std::uint32_t count = std::min<std::uint32_t>(
      memory.known_count.load(std::memory_order_acquire), kMaxKnownFailures);
  return std::any_of(memory.known, memory.known + count, [&](const KnownFailure& known) {
    return known.key == key &&
           includes(all, TraitSet(known.traits, known.traits + known.trait_count));
  });
}

}  // namespace indexfuzz
