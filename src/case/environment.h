#pragma once
// The process-wide settings under which a case runs.

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string_view>

namespace indexfuzz {

/// Which of PyTorch's vectorized CPU kernels run: ATEN_CPU_CAPABILITY, read once per process.
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

/// A turn is a stretch of consecutive cases that run in one environment, in one process. The first
/// turns have kShortTurn cases, so that even a slow kernel meets every environment soon. Each round
/// of turns is twice as long as the one before, until a turn has kEnvironmentTurn cases: a new
/// process costs as much as thousands of cases, and loading a library anew as much as tens of
/// thousands.
inline constexpr std::uint64_t kShortTurn = 1 << 13, kEnvironmentTurn = 1 << 18;

/// In a multi-threaded environment, one of every kThreadsTurns stretches of kThreadsTurn cases runs
/// on one thread, since a program may change its thread count: what a kernel caches must not depend
/// on an earlier count. With up to kFewThreads threads the single-threaded stretch comes first,
/// with more it comes last.
inline constexpr std::uint64_t kThreadsTurn = 256, kThreadsTurns = 4;
inline constexpr std::uint8_t kFewThreads = 4;

struct EnvironmentTurn {
  Environment environment;  ///< its thread count is the largest in the turn
  std::uint64_t end;        ///< the first case number of the next turn
};

/// The turns of a round, over which every environment occurs.
inline constexpr std::uint64_t kTurnsOfRound = 12;
/// The first case number from which turns without a GPU have their full length. For worker 0 it
/// begins a turn with one thread and the native capability.
inline constexpr std::uint64_t kPlainTurn = kTurnsOfRound * (kEnvironmentTurn - kShortTurn);

/// The turn of a worker's case. The environments take turns, so that each worker meets all of them.
/// With a GPU, starting a process is expensive: all turns have their full length, and the first has
/// the plain environment.
inline EnvironmentTurn environment_turn(std::uint32_t worker, std::uint64_t number, bool gpu) {
  // 9 threads: more than the four or eight for which a kernel may have fixed room.
  constexpr Environment kPlain{}, kFew{kFewThreads, Capability::kNative},
      kMany{9, Capability::kDefault};
  constexpr Environment kDefault{1, Capability::kDefault}, kAvx2{1, Capability::kAvx2};
  // Environments with several threads draw larger cases and take 2.5 times as long: one turn each.
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
/// The environment of a worker's case: that of its turn, on one thread where kThreadsTurn says so.
inline Environment environment_of(std::uint32_t worker, std::uint64_t number, bool gpu) {
  Environment environment = environment_turn(worker, number, gpu).environment;
  const std::uint64_t alone = environment.threads > kFewThreads ? kThreadsTurns - 1 : 0;
  if (number / kThreadsTurn % kThreadsTurns == alone) environment.threads = 1;
  return environment;
}

/// Clamps the thread count to [1, kMaxThreads].
inline void repair(Environment& environment) {
  environment.threads = std::clamp<std::uint8_t>(environment.threads, 1, kMaxThreads);
}

}  // namespace indexfuzz
