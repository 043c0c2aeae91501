// Laws of the generator.

#include "draw/draw.h"
#include "draw/environment_turns.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <utility>

#include "../written_case.h"
#include "ops/repair/repair.h"

namespace indexfuzz {
namespace {

constexpr std::uint64_t kCases = 1'000'000;

TEST(Draw, EveryCaseIsLegal) {
  const std::vector<Target> targets = all_targets();
  Case c, repaired;
  for (std::uint64_t i = 0; i < 50'000; ++i) {
    draw_case(1, 0, i, targets, {}, c);
    repaired = c;
    repair(repaired, {});
    ASSERT_EQ(repaired, c) << to_text(c) << "is repaired to\n" << to_text(repaired);
    if (i % 10 != 0) continue;
    ASSERT_EQ(why_illegal(c), "") << to_text(c);
  }
}

TEST(Draw, ACaseIsAFunctionOfSeedWorkerAndNumberAlone) {
  const std::vector<Target> targets = all_targets();
  Case first, again, other;
  int differ[3] = {};
  for (std::uint64_t i = 0; i < 2000; ++i) {
    draw_case(1, 2, i, targets, {}, first);
    draw_case(9, 9, 1999 - i, targets, {}, again);  // whatever was drawn into it before
    draw_case(1, 2, i, targets, {}, again);
    ASSERT_EQ(first, again);
    draw_case(2, 2, i, targets, {}, other);
    differ[0] += !(first == other);
    draw_case(1, 3, i, targets, {}, other);
    differ[1] += !(first == other);
    draw_case(1, 2, i + 1, targets, {}, other);
    differ[2] += !(first == other);
  }
  for (const int count : differ) EXPECT_GT(count, 1950);
}

bool holds_counts(const Case& c) {
  return std::ranges::any_of(overload_of(c).operands, &OperandSpec::is_count);
}

TEST(Draw, TwinsDifferInTheirValuesAlone) {
  const std::vector<Target> targets = all_targets();
  constexpr std::uint64_t kFirst = (kTurnsPerTwins - 1) * kOperatorTurn;
  ASSERT_FALSE(is_of_twins(kFirst - 1));
  int differ = 0, numbered = 0, renumbered = 0;
  for (std::uint64_t turn = 0; turn < 40; ++turn) {
    for (std::uint64_t i = 0; i < kOperatorTurn; i += 2) {
      const std::uint64_t number = turn * kTurnsPerTwins * kOperatorTurn + kFirst + i;
      ASSERT_TRUE(is_of_twins(number + 1));
      Case first, second;
      draw_case(1, 0, number, targets, {}, first);
      draw_case(1, 0, number + 1, targets, {}, second);
      // What rule a case can break, and how much its counts add up to, depends on its values.
      if (first.breaks != 0 || holds_counts(first)) continue;
      differ += !(first == second);
      for (std::size_t k = 0; k < first.operands.size(); ++k) {
        Fill &fill = first.operands[k].fill, &other = second.operands[k].fill;
        // The index of an element is the same with every seed.
        numbered += fill.kind == FillKind::kIndex;
        renumbered += fill.kind == FillKind::kIndex && other.kind == FillKind::kHash1;
        other = fill;
      }
      ASSERT_EQ(first, second) << to_text(first) << to_text(second);
    }
  }
  EXPECT_GT(differ, 4000);
  EXPECT_GT(renumbered, numbered * 9 / 10);
}

/// What the limits leave operand k; without masks an index list holds positions only, and
/// some operators take int64 alone.
DtypeSet dtypes_of(const Case& c, int k, const Limits& limits) {
  switch (spec_of(c, k).role) {
    case Role::kValue:
    case Role::kZeroOrNot: return limits.dtypes;
    case Role::kIndex:
    case Role::kIndexOrMask: return limits.index_dtypes | set_of(Dtype::kInt64);
    case Role::kMask: return kMaskDtypes;
    case Role::kScalar: return kScalarDtypes;
    case Role::kOut: return set_of(operator_of(c).result(c).dtype);
  }
  return 0;
}

TEST(Draw, EnvironmentsTakeTurnsAndSeveralThreadsMeetLargeCases) {
  const std::vector<Target> targets = all_targets();
  std::set<std::pair<int, int>> environments;
  Case c;
  for (std::uint64_t turn = 0; turn < 12; ++turn) {
    int large = 0;
    for (std::uint64_t i = 0; i < 2'000; ++i) {
      const std::uint64_t number = kPlainTurn + (turn + 1) * kEnvironmentTurn - 1 - i;
      draw_case(1, 0, number, targets, {}, c);
      ASSERT_EQ(c.environment, environment_of(0, number, false));
      large +=
          std::ranges::any_of(c.operands, [](const Operand& o) { return numel(o.shape) > 32768; });
    }
    const Environment most =
        environment_turn(0, kPlainTurn + turn * kEnvironmentTurn, false).environment;
    environments.insert({most.threads, static_cast<int>(most.capability)});
    if (most.threads > 1) {
      EXPECT_GT(large, 20);
    } else {
      EXPECT_LT(large, 20);
    }
  }
  EXPECT_EQ(environments, (std::set<std::pair<int, int>>{{1, 0}, {1, 1}, {1, 2}, {4, 0}, {9, 1}}));
  EXPECT_NE(environment_turn(0, 0, false).environment, environment_turn(1, 0, false).environment);
}

TEST(Draw, AProcessOfSeveralThreadsHasOneNowAndThen) {
  const auto threads_from = [](std::uint64_t first) {
    std::string threads;
    for (std::uint64_t turn = 0; turn < 8; ++turn)
      threads += std::to_string(environment_of(0, first + turn * kCasesOfStretch, false).threads);
    return threads;
  };
  EXPECT_EQ(threads_from(kShortTurn), "14441444");
  EXPECT_EQ(threads_from(7 * kShortTurn), "99919991");
}

TEST(Draw, TurnsOfEnvironmentsFollowOneAnotherAndBecomeLonger) {
  for (const std::uint32_t worker : {0u, 1u, 7u}) {
    std::set<std::pair<int, int>> soon;
    std::uint64_t length = kShortTurn, turns = 0;
    for (std::uint64_t number = 0, end = 0; number < 40 * kEnvironmentTurn; number = end) {
      const EnvironmentTurn turn = environment_turn(worker, number, false);
      end = turn.end;
      if (turns++ == kTurnsOfRound && length < kEnvironmentTurn) {
        length *= 2;
        turns = 1;
      }
      ASSERT_EQ(end - number, length);
      ASSERT_EQ(environment_turn(worker, end - 1, false).end, end);
      EXPECT_EQ(environment_of(worker, end - 1 - kCasesOfStretch, false), turn.environment);
      EXPECT_NE(environment_turn(worker, end, false).environment, turn.environment);
      if (end <= 8 * kShortTurn)
        soon.insert({turn.environment.threads, static_cast<int>(turn.environment.capability)});
    }
    EXPECT_EQ(soon.size(), 5u);
  }
  EXPECT_EQ(environment_turn(0, 0, true).end, kEnvironmentTurn) << "on a GPU a process is dear";
  EXPECT_EQ(environment_of(1, 0, true), Environment{});
  EXPECT_EQ(environment_turn(1, kEnvironmentTurn, true).environment.threads, 1);
  EXPECT_EQ(environment_turn(0, kEnvironmentTurn, true).environment.threads, kFewThreads);
  for (const std::uint64_t number : {kPlainTurn, kPlainTurn + kEnvironmentTurn - 1})
    EXPECT_EQ(environment_of(0, number, false), Environment{});
}

TEST(Draw, KeepsToOneThreadIfTheLimitsDo) {
  Limits limits;
  limits.several_threads = false;
  for (std::uint64_t number = 0; number < kTurnsOfRound * kShortTurn; number += kCasesOfStretch) {
    Case c;
    draw_case(1, 0, number, all_targets(), limits, c);
    EXPECT_EQ(c.environment.threads, 1);
  }
}

TEST(Draw, KeepsWithinItsLimits) {
  const std::vector<Target> targets = all_targets();
  Limits limits;
  limits.max_rank = 2;
  limits.max_elements = 100;
  limits.dtypes = set_of(Dtype::kHalf) | set_of(Dtype::kInt8);
  limits.index_dtypes = set_of(Dtype::kInt32);
  limits.negative_indices = limits.masks = limits.strided = limits.illegal = false;
  Case c;
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    draw_case(1, 0, i, targets, limits, c);
    ASSERT_EQ(c.breaks, 0);
    for (std::size_t k = 0; k < c.operands.size(); ++k) {
      const Operand& operand = c.operands[k];
      if (!operand.present) continue;
      ASSERT_LE(numel(operand.shape), 100);
      ASSERT_TRUE(is_contiguous(operand.layout));
      ASSERT_EQ(operand.fill.negatives, Negatives::kNone);
      ASSERT_TRUE(contains(dtypes_of(c, static_cast<int>(k), limits), operand.dtype)) << to_text(c);
    }
  }
}

}  // namespace
}  // namespace indexfuzz
