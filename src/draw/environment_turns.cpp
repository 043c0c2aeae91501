#include "draw/environment_turns.h"

#include <iterator>

namespace indexfuzz {

EnvironmentTurn environment_turn(std::uint32_t worker, std::uint64_t number, bool gpu) {
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

Environment environment_of(std::uint32_t worker, std::uint64_t number, bool gpu) {
  Environment environment = environment_turn(worker, number, gpu).environment;
  const std::uint64_t alone = environment.threads > kFewThreads ? kStretchesOfCycle - 1 : 0;
  if (number / kCasesOfStretch % kStretchesOfCycle == alone) environment.threads = 1;
  return environment;
}

Environment within(Environment environment, const Limits& limits) {
  if (!limits.several_threads) environment.threads = 1;
  return environment;
}

}  // namespace indexfuzz
