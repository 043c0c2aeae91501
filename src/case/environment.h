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

/// How many consecutive cases share a process and what is fixed in it. The first turns are short,
/// so that even a slow kernel meets every environment soon; each round of them is twice as long as
/// the one before, since a new process costs as much as thousands of cases, and a library that it
/// loads anew as much as tens of thousands.
inline constexpr std::uint64_t kShortTurn = 1 << 13, kEnvironmentTurn = 1 << 18;

/// A process of several threads has one alone for so many cases now and then, as a program may
/// change their number: what a kernel keeps must not depend on what it was once. One of few threads
/// begins so, one of many with all of them.
inline constexpr std::uint64_t kThreadsTurn = 256, kThreadsTurns = 4;
inline constexpr std::uint8_t kFewThreads = 4;

struct EnvironmentTurn {
  Environment environment;  ///< with the most threads that a case of the turn has
  std::uint64_t end;        ///< the first number that is another turn's
};

/// Every environment has its share of them.
inline constexpr std::uint64_t kTurnsOfRound = 12;
/// Where turns without a GPU are the longest from: worker 0's first case of a turn that has one
/// thread and the native capability.
inline constexpr std::uint64_t kPlainTurn = kTurnsOfRound * (kEnvironmentTurn - kShortTurn);

/// The turn of a worker's case: the environments take turns, so that one worker meets all of them.
/// Where a process is dear, since it opens a GPU, no turn is short, and the first is plain.
inline EnvironmentTurn environment_turn(std::uint32_t worker, std::uint64_t number, bool gpu) {
  // More threads than the four or eight for which somebody thought to make room.
  constexpr Environment kPlain{}, kFew{kFewThreads, Capability::kNative},
      kMany{9, Capability::kDefault};
  constexpr Environment kDefault{1, Capability::kDefault}, kAvx2{1, Capability::kAvx2};
  // Several threads have large cases, and take two and a half times as long.
  constexpr Environment kTurns[] = {kPlain, kFew,  kPlain, kDefault, kPlain, kAvx2,
                                    kPlain, kMany, kPlain, kDefault, kPlain, kAvx2};
  static_assert(std::size(kTurns) == kTurnsOfRound);
  std::uint64_t first = 0, length = gpu ? kEnvironmentTurn : kShortTurn;  // of the round
  while (length < kEnvironmentTurn && number - first >= kTurnsOfRound * length) {
    first += kTurnsOfRound * length;
    length *= 2;
  }
  const std::uint64_t turn = (number - first) / length;
  const bool begins_plainly = gpu && turn == 0;
  return {begins_plainly ? kPlain : kTurns[(turn + worker) % kTurnsOfRound],
          first + (turn + 1) * length};
}
inline Environment environment_of(std::uint32_t worker, std::uint64_t number, bool gpu) {
  Environment environment = environment_turn(worker, number, gpu).environment;
  const std::uint64_t alone = environment.threads > kFewThreads ? kThreadsTurns - 1 : 0;
  if (number / kThreadsTurn % kThreadsTurns == alone) environment.threads = 1;
  return environment;
}

/// Makes any number of threads a possible one.
inline void repair(Environment& environment) {
  environment.threads = std::clamp<std::uint8_t>(environment.threads, 1, kMaxThreads);
}

}  // namespace indexfuzz
