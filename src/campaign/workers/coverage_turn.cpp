#include "campaign/workers/coverage_turn.h"

#include <algorithm>

#include "draw/environment_turns.h"

namespace indexfuzz {
namespace {

constexpr std::uint64_t kFirstCases = 1 << 13;
constexpr std::uint64_t kMostDoublings = 5;

}  // namespace

CoverageTurn coverage_turn(std::uint32_t worker, std::uint64_t turn, std::size_t operators) {
  const std::uint64_t round = turn / operators;
  const std::uint64_t number = kPlainTurn + round * kEnvironmentTurn;
  return {turn % operators, environment_turn(worker, number, false).environment,
          kFirstCases << std::min(round / kTurnsOfRound, kMostDoublings)};
}

}  // namespace indexfuzz
