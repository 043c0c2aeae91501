#pragma once
// By what a custom kernel narrows itself: of each trait of its legal cases, how many were refused
// and how many taken. In shared memory; one child counts, the supervisor reads.

#include <atomic>
#include <compare>
#include <cstddef>
#include <cstdint>

#include "judge/signature.h"

namespace indexfuzz {

/// A trait of what one implementation is given of one operator.
struct TraitOf {
  std::uint8_t implementation = 0;  ///< its place in the hello
  std::uint8_t op = 0;              ///< place in operators()
  Trait trait = 0;
  auto operator<=>(const TraitOf&) const = default;
};

struct RefusedTraits {
  struct Entry {
    std::atomic<std::uint32_t> of;  ///< a TraitOf as a number, plus 1; 0: free
    std::atomic<std::uint64_t> refused, taken;
  };
  static constexpr std::size_t kEntries = 4096;  ///< a power of two
  Entry entries[kEntries];
};

/// Counts the traits of a legal case. What finds no room is left out.
inline void count_traits(RefusedTraits& table, std::uint8_t implementation, std::uint8_t op,
                         const Case& c, bool refused) {
  for (const Trait trait : traits(c)) {
    const std::uint32_t of =
        1 + (std::uint32_t{implementation} << 24 | std::uint32_t{op} << 16 | std::uint32_t{trait});
    std::size_t at = of * 0x9E3779B1u >> 8;
    for (std::size_t tries = 0; tries < 64; ++tries, ++at) {
      RefusedTraits::Entry& entry = table.entries[at % RefusedTraits::kEntries];
      const std::uint32_t there = entry.of.load(std::memory_order_relaxed);
      if (there != 0 && there != of) continue;
      std::atomic<std::uint64_t>& counter = refused ? entry.refused : entry.taken;
      counter.store(counter.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
      if (there == 0) entry.of.store(of, std::memory_order_release);
      break;
    }
  }
}

/// Whose trait an entry counts; for one that is not free.
inline TraitOf trait_of(std::uint32_t number) {
  const std::uint32_t of = number - 1;
  return {static_cast<std::uint8_t>(of >> 24), static_cast<std::uint8_t>(of >> 16),
          static_cast<Trait>(of)};
}

}  // namespace indexfuzz
