#include "campaign/examine/steer.h"

#include <algorithm>
#include <iterator>

namespace indexfuzz {

void steer_away(SharedMemory& memory, const Case& minimal, std::uint32_t implementation,
                const TraitSet& essential) {
  const std::uint32_t count = memory.steered_count.load();
  SteeredFailure& failure = memory.steered[std::min<std::uint32_t>(count, kMaxSteered - 1)];
  // With a part of its traits more would be turned away than what is known.
  if (count == kMaxSteered || essential.size() > std::size(failure.traits)) return;
  failure.target = steering_target(minimal, implementation);
  failure.trait_count = static_cast<std::uint8_t>(essential.size());
  std::ranges::copy(essential, failure.traits);
  memory.steered_count.store(count + 1, std::memory_order_release);
}

}  // namespace indexfuzz
