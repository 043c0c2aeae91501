// When the coverage engine's turns change operator, environment and length.

#include "campaign/workers/coverage_turn.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <tuple>

#include "draw/environment_turns.h"

namespace indexfuzz {
namespace {

constexpr std::size_t kOperators = 46;
constexpr std::uint64_t kTurns = kOperators * kTurnsOfRound;

std::tuple<int, Capability> key(const Environment& environment) {
  return {environment.threads, environment.capability};
}

TEST(CoverageTurn, AllOperatorsTakeTurnsInOneEnvironment) {
  std::set<std::size_t> met;
  for (std::uint64_t turn = 0; turn < kOperators; ++turn) {
    const CoverageTurn at = coverage_turn(0, turn, kOperators);
    met.insert(at.op);
    EXPECT_EQ(at.environment, coverage_turn(0, 0, kOperators).environment);
  }
  EXPECT_EQ(met.size(), kOperators);
}

TEST(CoverageTurn, GrowOnceEveryOperatorHasMetEveryEnvironment) {
  for (const std::uint32_t worker : {0u, 1u, 7u}) {
    std::set<std::tuple<int, Capability>> all;
    for (std::uint64_t turn = 0; turn < kTurnsOfRound; ++turn)
      all.insert(
          key(environment_turn(worker, kPlainTurn + turn * kEnvironmentTurn, false).environment));
    std::map<std::size_t, std::set<std::tuple<int, Capability>>> met;
    const std::uint64_t first = coverage_turn(worker, 0, kOperators).cases;
    for (std::uint64_t turn = 0; turn < kTurns; ++turn) {
      const CoverageTurn at = coverage_turn(worker, turn, kOperators);
      EXPECT_EQ(at.cases, first);
      met[at.op].insert(key(at.environment));
    }
    for (const auto& [op, environments] : met) EXPECT_EQ(environments, all) << op;
    EXPECT_EQ(coverage_turn(worker, kTurns, kOperators).cases, 2 * first);
  }
}

TEST(CoverageTurn, DoNotGrowWithoutEnd) {
  const std::uint64_t most = coverage_turn(0, 1'000 * kTurns, kOperators).cases;
  EXPECT_EQ(coverage_turn(0, 2'000 * kTurns, kOperators).cases, most);
}

}  // namespace
}  // namespace indexfuzz
