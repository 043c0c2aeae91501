#pragma once
// Which environment the cases of a worker run in, and when it changes.

#include <cstdint>

#include "case/environment.h"
#include "case/limits.h"

namespace indexfuzz {

/// A turn is a stretch of consecutive cases that run in one environment, in one process. The first
/// turns have kShortTurn cases, so that even a slow kernel meets every environment soon. Each round
/// of turns is twice as long as the one before, until a turn has kEnvironmentTurn cases: a new
/// process costs as much as thousands of cases, and loading a library anew as much as tens of
/// thousands.
inline constexpr std::uint64_t kShortTurn = 1 << 13, kEnvironmentTurn = 1 << 18;

/// In a multi-threaded environment, cases run in stretches of kCasesOfStretch. Of every
/// kStretchesOfCycle stretches one runs on a single thread: a program may change its thread count,
/// and what a kernel caches must not depend on an earlier count. That stretch comes first with up
/// to kFewThreads threads, and last with more.
inline constexpr std::uint64_t kCasesOfStretch = 256, kStretchesOfCycle = 4;
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
EnvironmentTurn environment_turn(std::uint32_t worker, std::uint64_t number, bool gpu);

/// The environment of a worker's case: that of its turn, on one thread where kCasesOfStretch says
/// so.
Environment environment_of(std::uint32_t worker, std::uint64_t number, bool gpu);

/// The environment as the limits allow it: on one thread, if they allow no more.
Environment within(Environment environment, const Limits& limits);

}  // namespace indexfuzz
