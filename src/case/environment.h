#pragma once
// What a process runs a case under.

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string_view>

namespace indexfuzz {

/// Which of PyTorch's vectorized CPU kernels are chosen: ATEN_CPU_CAPABILITY, read once a process.
enum class Capability : std::uint8_t {
  kNative = 0,   ///< the best that the machine has; the variable is not set
  kDefault = 1,  ///< no vector instructions beyond the compiler's
  kAvx2 = 2,
};
inline constexpr std::string_view kCapabilityNames[] = {"native", "default", "avx2"};
inline std::string_view name(Capability capability) {
  return kCapabilityNames[static_cast<std::size_t>(capability)];
}

inline constexpr int kMaxThreads = 64;

struct Environment {
  std::uint8_t threads = 1;  ///< of PyTorch's pool, 1 to kMaxThreads
  Capability capability = Capability::kNative;
  bool operator==(const Environment&) const = default;
};

/// How many consecutive cases share a process and what is fixed in it. Early turns are shorter, so
/// that even a slow kernel meets every environment.
inline constexpr std::uint64_t kEnvironmentTurn = 1 << 16, kShortTurn = 1 << 13;

/// A process of several threads has one alone for so many cases now and then, as a program may
/// change their number: what a kernel keeps must not depend on what it was once. One of few threads
/// begins so, one of many with all of them.
inline constexpr std::uint64_t kThreadsTurn = 256, kThreadsTurns = 4;
inline constexpr std::uint8_t kFewThreads = 4;

struct EnvironmentTurn {
  Environment environment;  ///< with the most threads that a case of the turn has
  std::uint64_t end;        ///< the first number that is another turn's
};

/// The turn of a worker's case: the environments take turns, so that one worker meets all of them.
/// Where a process is dear, since it opens a GPU, no turn is short.
inline EnvironmentTurn environment_turn(std::uint32_t worker, std::uint64_t number, bool gpu) {
  // More threads than the four or eight for which somebody thought to make room.
  constexpr Environment kPlain{}, kFew{kFewThreads, Capability::kNative},
      kMany{9, Capability::kDefault};
  constexpr Environment kDefault{1, Capability::kDefault}, kAvx2{1, Capability::kAvx2};
  // Several threads have large cases, and take two and a half times as long.
  constexpr Environment kTurns[] = {kPlain, kFew,  kPlain, kDefault, kPlain, kAvx2,
                                    kPlain, kMany, kPlain, kDefault, kPlain, kAvx2};
  constexpr Environment kShortTurns[] = {kPlain, kFew,  kPlain, kDefault,
                                         kPlain, kMany, kPlain, kAvx2};
  static_assert(std::size(kShortTurns) * kShortTurn == kEnvironmentTurn);
  if (number < kEnvironmentTurn) {
    if (gpu) return {kPlain, kEnvironmentTurn};
    const std::uint64_t turn = number / kShortTurn;
    return {kShortTurns[(turn + worker) % std::size(kShortTurns)], (turn + 1) * kShortTurn};
  }
  const std::uint64_t turn = number / kEnvironmentTurn;
  return {kTurns[(turn - 1 + worker) % std::size(kTurns)], (turn + 1) * kEnvironmentTurn};
}
inline Environment environment_of(std::uint32_t worker, std::uint64_t number, bool gpu) {
  Environment environment = environment_turn(worker, number, gpu).environment;
  const std::uint64_t alone = environment.threads > kFewThreads ? kThreadsTurns - 1 : 0;
  if (number / kThreadsTurn % kThreadsTurns == alone) environment.threads = 1;
  return environment;
}
/// The first case of worker 0's first turn of that length without a GPU, which has one thread and
/// the native capability.
inline constexpr std::uint64_t kPlainTurn = kEnvironmentTurn;

/// Makes any number of threads a possible one.
inline void repair(Environment& environment) {
  environment.threads = std::clamp<std::uint8_t>(environment.threads, 1, kMaxThreads);
}

}  // namespace indexfuzz
