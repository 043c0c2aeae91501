// Laws of mutating and splicing.

#include "draw/mutate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "../written_case.h"
#include "judge/signature.h"
#include "ops/definition/illegal_rule.h"
#include "ops/repair/repair.h"

namespace indexfuzz {
namespace {

/// A drawn case of one operator.
Case seed_of(const OperatorInfo& row, std::uint64_t number) {
  Case c;
  draw_case(5, 0, number, targets_of(row), {}, c);
  return c;
}

void expect_legal(const Case& c) {
  Case repaired = c;
  repair(repaired, {});
  ASSERT_EQ(repaired, c) << to_text(c) << "is repaired to\n" << to_text(repaired);
  Case applied = c;
  ASSERT_TRUE(apply_rule(applied)) << to_text(c);
}

class Mutate : public testing::TestWithParam<const OperatorInfo*> {};

TEST_P(Mutate, GivesLegalCasesOfTheSameOperatorAndEnvironment) {
  const auto targets = targets_of(*GetParam());
  Choices choices(1);
  Case c = seed_of(*GetParam(), 0);
  c.environment = {4, Capability::kDefault};
  for (int i = 0; i < 20'000; ++i) {
    mutate(choices, targets, {}, c);
    ASSERT_NO_FATAL_FAILURE(expect_legal(c));
    ASSERT_EQ(c.op, GetParam()->number);
    ASSERT_EQ(c.environment, (Environment{4, Capability::kDefault}));
  }
}

TEST_P(Mutate, RarelyChangesNothing) {
  const auto targets = targets_of(*GetParam());
  Choices choices(2);
  int unchanged = 0;
  for (std::uint64_t i = 0; i < 5'000; ++i) {
    const Case before = seed_of(*GetParam(), i);
    Case after = before;
    mutate(choices, targets, {}, after);
    unchanged += before == after;
  }
  EXPECT_LT(unchanged, 50);
}

/// What a walk of mutations from one plain case comes across.
struct Met {
  std::set<std::pair<int, int>> forms;
  std::set<Dtype> dtypes;
  std::set<int> ranks, rules;
  std::set<FillKind> fills;
  std::set<Trait> traits;
  std::uint64_t illegal = 0, large = 0;
  std::uint64_t shares_order = 0, indexes_rows = 0;
};

/// Whether two operands or more of self's rank, among them self, are permuted alike and dense.
bool shares_an_order(const Case& c) {
  const Layout& self = c.operands[0].layout;
  Layout dense;
  make_contiguous(dense, rank(c.operands[0].shape));
  if (self.order == dense.order) return false;
  dense.order = self.order;
  return self == dense && std::ranges::count(c.operands, dense, &Operand::layout) > 1;
}

/// Whether an index of rank 2 or more is the same along all dimensions but one, for which kernels
/// that gather and scatter have a path of their own. A sorter is no such index, nor are lengths.
bool indexes_rows(const Case& c) {
  const std::string_view name = operator_of(c).name;
  if (name == "searchsorted" || name == "segment_reduce") return false;
  return std::ranges::any_of(c.operands, [](const Operand& operand) {
    const auto& dims = operand.layout.dims;
    const auto expanded = std::ranges::count(dims, true, &DimLayout::expanded);
    return operand.present && family(operand.fill.kind) == FillFamily::kIndex && dims.size() > 1 &&
           expanded + 1 == std::ssize(dims);
  });
}

void note(const Case& c, Met& met) {
  met.forms.insert({c.overload, static_cast<int>(c.variant)});
  met.rules.insert(c.breaks);
  met.illegal += c.breaks != 0;
  met.large += total_elements(c) > 4096;
  for (const Operand& operand : c.operands) {
    if (!operand.present) continue;
    met.dtypes.insert(operand.dtype);
    met.fills.insert(operand.fill.kind);
  }
  met.ranks.insert(rank(c.operands[0].shape));
  met.shares_order += shares_an_order(c);
  met.indexes_rows += indexes_rows(c);
  for (const Trait trait : traits(c)) met.traits.insert(trait);
}

constexpr int kSteps = 120'000;

TEST_P(Mutate, ReachesFromOneCaseAllThatIsDrawn) {
  const auto targets = targets_of(*GetParam());
  Met drawn, reached;
  // What one walk may miss in so many steps is drawn more rarely than once in a thousand cases.
  std::map<Trait, int> seen;
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    const Case c = seed_of(*GetParam(), i);
    note(c, drawn);
    for (const Trait trait : traits(c)) ++seen[trait];
  }
  Choices choices(3);
  Case c = seed_of(*GetParam(), 1);
  for (int i = 0; i < kSteps; ++i) {
    mutate(choices, targets, {}, c);
    note(c, reached);
  }
  EXPECT_EQ(reached.forms.size(), targets.size());
  EXPECT_EQ(reached.dtypes, drawn.dtypes);
  EXPECT_THAT(reached.fills, testing::IsSupersetOf(drawn.fills));
  EXPECT_THAT(reached.ranks, testing::IsSupersetOf(drawn.ranks));
  EXPECT_THAT(reached.rules, testing::IsSupersetOf(drawn.rules));
  for (const auto& [trait, count] : seen) {
    if (count < 20) continue;
    EXPECT_TRUE(reached.traits.contains(trait)) << describe(trait, c) << " (" << count << ")";
  }
  // Kernels have paths for these. Changes to one operand at a time lead to a shared order once in
  // thousands of steps. The walk has six times as many steps as cases are drawn.
  EXPECT_GE(reached.shares_order, drawn.shares_order);
  EXPECT_GE(reached.indexes_rows, drawn.indexes_rows);
  EXPECT_LT(reached.illegal, kSteps / 5);
  EXPECT_LT(reached.large, kSteps / 20);
}

TEST_P(Mutate, IsAFunctionOfTheChoices) {
  const auto targets = targets_of(*GetParam());
  const auto walk = [&](std::uint64_t seed) {
    Choices choices(seed);
    Case c = seed_of(*GetParam(), 1);
    for (int i = 0; i < 200; ++i) mutate(choices, targets, {}, c);
    return c;
  };
  EXPECT_EQ(walk(7), walk(7));
  EXPECT_FALSE(walk(7) == walk(8));
}

TEST_P(Mutate, KeepsWithinLimits) {
  auto targets = targets_of(*GetParam());
  targets.resize(1);
  Limits limits;
  limits.max_rank = 2;
  limits.max_elements = 100;
  limits.strided = limits.masks = limits.illegal = limits.negative_indices = false;
  limits.dtypes = set_of(Dtype::kHalf) | set_of(Dtype::kInt8);
  Choices choices(4);
  Case c;
  draw_case(5, 0, 0, targets, limits, c);
  for (int i = 0; i < 5'000; ++i) {
    mutate(choices, targets, limits, c);
    Case repaired = c;
    repair(repaired, limits);
    ASSERT_EQ(repaired, c) << to_text(c);
    ASSERT_EQ(std::pair(int{c.overload}, c.variant),
              std::pair(int{targets[0].overload}, targets[0].variant));
    ASSERT_EQ(c.breaks, 0);
    for (const Operand& operand : c.operands) ASSERT_LE(numel(operand.shape), 100);
  }
}

TEST_P(Mutate, SplicingGivesLegalCasesWithPartsOfBoth) {
  Choices choices(5);
  int mine = 0, theirs = 0, both = 0;
  for (std::uint64_t i = 0; i < 5'000; ++i) {
    const Case a = seed_of(*GetParam(), 2 * i), b = seed_of(*GetParam(), 2 * i + 1);
    Case c = a;
    splice(choices, b, {}, c);
    ASSERT_NO_FATAL_FAILURE(expect_legal(c));
    ASSERT_EQ(std::pair(c.op, c.environment), std::pair(a.op, a.environment));
    ASSERT_EQ(std::pair(int{c.overload}, c.variant), std::pair(int{a.overload}, a.variant));
    mine += c == a;
    theirs += c == b;
    both += !(c == a) && !(c == b);
  }
  EXPECT_GT(both, 2'000);
  EXPECT_LT(theirs, 500);
  // Operands of different overloads have nothing to exchange.
  EXPECT_LT(mine, 2'700);
}

INSTANTIATE_TEST_SUITE_P(Operators, Mutate,
                         testing::ValuesIn(operators().begin(), operators().end()),
                         [](const auto& info) { return std::string(info.param->name); });

}  // namespace
}  // namespace indexfuzz
