#pragma once
// How often a custom kernel took legal cases with each trait. In shared memory: one child counts,
// the supervisor and the threads that prepare cases read.

#include <atomic>
#include <compare>
#include <cstddef>
#include <cstdint>

#include "judge/signature.h"

namespace indexfuzz {

/// A trait, for one implementation and one operator.
struct TraitOf {
  std::uint8_t implementation = 0;  ///< its place in the hello
  std::uint8_t op = 0;              ///< place in operators()
  Trait trait = 0;
  auto operator<=>(const TraitOf&) const = default;
};

struct RefusedTraits {
  struct Entry {
    std::atomic<std::uint32_t> of;    ///< a TraitOf as a number, plus 1; 0: free
    std::atomic<double> taken;        ///< cases with the trait that the kernel took
    std::atomic<double> expected;     ///< cases it would have taken, had the trait not mattered
    std::atomic<std::uint64_t> held;  ///< cases with the trait that agreed; only under a contract
  };
  static constexpr std::size_t kEntries = 4096;  ///< a power of two
  Entry entries[kEntries];
};

/// Whether a kernel narrows itself by a trait, given Entry::taken and Entry::expected.
inline bool narrows(double taken, double expected) {
  // By chance none of five is taken once in 150 times. A kernel may take a few cases of a trait
  // that it refuses: a permuted self is still contiguous if its sizes are 1.
  constexpr double kLeastExpected = 5, kFew = 0.3;
  return expected >= kLeastExpected && taken <= kFew * expected;
}

/// A TraitOf as the number in Entry::of, and back.
inline std::uint32_t number_of(const TraitOf& of) {
  return 1 + (std::uint32_t{of.implementation} << 24 | std::uint32_t{of.op} << 16 |
              std::uint32_t{of.trait});
}
inline TraitOf trait_of(std::uint32_t number) {
  const std::uint32_t of = number - 1;
  return {static_cast<std::uint8_t>(of >> 24), static_cast<std::uint8_t>(of >> 16),
          static_cast<Trait>(of)};
}

}  // namespace indexfuzz
