#pragma once
// The failures that the supervisor has dealt with, for its children to read.

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "judge/signature.h"

namespace indexfuzz {

/// Several times as many as the ledger lists.
inline constexpr int kMaxSilenced = 16384;
/// No failure has this key.
inline constexpr std::uint64_t kNoKey = 0;
inline constexpr int kMaxSteered = 16384;
inline constexpr std::size_t kMostSteeringTraits = 63;

/// A failure that the supervisor has dealt with, whether or not the ledger lists it. Workers report
/// no further failing case with this shrink key, all these traits and at least `least_elements`
/// elements in all operands together.
struct SilencedFailure {
  std::atomic<std::uint32_t> version;  ///< odd while the rest is written
  std::uint64_t key;                   ///< kNoKey: the entry was dropped, and its place is free
  std::int64_t least_elements;
  std::uint8_t trait_count;
  Trait traits[TraitSet::static_capacity];
};

struct SilencedFailureList {
  std::atomic<std::uint32_t> count;
  SilencedFailure entries[kMaxSilenced];
};

/// A finding, described such that cases like it are recognised before they run and become rare:
/// run/session/steering.h.
struct SteeredFailure {
  std::uint64_t target;         ///< steering_target
  std::int64_t least_elements;  ///< smaller cases are not similar
  std::uint32_t one_in;         ///< at most one in this many cases that run carries its traits
  bool ends_process;
  std::uint8_t trait_count;
  Trait traits[kMostSteeringTraits];  ///< all of its essential ones
};
struct SteeredFailureList {
  std::atomic<std::uint32_t> count;
  SteeredFailure entries[kMaxSteered];
};

/// One worker's counts of the cases with a steered failure's target, from when it knew the failure.
struct SteeringCount {
  std::uint64_t seen;
  std::uint64_t run;
  std::uint64_t carriers_run;  ///< among `run`, with all of its traits
};
/// Form, broken rule and implementation (its place in the hello's list) as one number.
inline std::uint64_t steering_target(const Case& c, std::size_t implementation) {
  static_assert(sizeof c.op == 2 && sizeof c.overload == 1 && sizeof c.breaks == 1);
  return std::uint64_t{c.op} << 48 | std::uint64_t{c.overload} << 40 |
         static_cast<std::uint64_t>(c.variant) << 32 | std::uint64_t{c.breaks} << 24 |
         static_cast<std::uint64_t>(implementation);
}

/// As steering_target(), for the legal base of an illegal case.
inline std::uint64_t steering_target_of_base(const Case& c, std::size_t implementation) {
  return steering_target(c, implementation) & ~(std::uint64_t{0xFF} << 24);
}

/// Whether an entry, other than the one at place `except`, says that a failing case with this key
/// need not be reported.
inline bool is_silenced(const SilencedFailureList& list, std::uint64_t key, const Case& c,
                        int except = -1) {
  const TraitSet all = traits(c);
  const std::int64_t elements = total_elements(c);
  const std::uint32_t count =
      std::min<std::uint32_t>(list.count.load(std::memory_order_acquire), kMaxSilenced);
  return std::any_of(list.entries, list.entries + count, [&](const SilencedFailure& failure) {
    const std::uint32_t version = failure.version.load(std::memory_order_acquire);
    if (failure.key != key || &failure - list.entries == except ||
        elements < failure.least_elements)
      return false;
    const auto traits = std::min<std::size_t>(failure.trait_count, std::size(failure.traits));
    const bool included = includes(all, TraitSet(failure.traits, failure.traits + traits));
    // What was read counts only if it was not written meanwhile.
    std::atomic_thread_fence(std::memory_order_acquire);
    return included && version % 2 == 0 &&
           failure.version.load(std::memory_order_relaxed) == version;
  });
}

}  // namespace indexfuzz
