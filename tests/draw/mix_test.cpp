// The mix that the generator draws.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "../written_case.h"
#include "drawn.h"
#include "ops/definition/illegal_rule.h"
#include "ops/families/advanced_index.h"
#include "ops/families/mask.h"
#include "ops/fills/write_fill.h"

namespace indexfuzz {
namespace {

// Enough that a share is nearer to its true value than that is to its bound: the share of more
// indices than a grid has rows is 1 in 570 for max_unpool2d, and at most 1 in 500 is allowed.
constexpr std::uint64_t kCases = 8'000'000;

/// Whether an index operand names a position twice.
bool has_duplicates(const Case& c, int k) {
  const Operand& operand = operand_at(c, k);
  const std::int64_t bound = std::max<std::int64_t>(operator_of(c).index_bound(c, k), 1);
  std::vector<std::byte> bytes(static_cast<std::size_t>(numel(operand.shape)) *
                               item_size(operand.dtype));
  write_fill(c, k, bytes.data());
  std::set<std::int64_t> seen;
  for (const double index : numbers(operand.dtype, bytes)) {
    if (!seen.insert((static_cast<std::int64_t>(index) + bound) % bound).second) return true;
  }
  return false;
}

struct DrawnMix {
  std::uint64_t illegal = 0, empty = 0, strided = 0, expanded = 0, overlapping = 0, duplicates = 0,
                left = 0;
  std::uint64_t resized = 0, resized_from_elements = 0, nones = 0, several = 0, scalars = 0;
  std::uint64_t above_32768 = 0, above_65536 = 0, index_differs = 0, lists = 0, gathers = 0;
  std::vector<std::int64_t> largest;
  std::map<int, std::uint64_t> ranks;
  std::map<Dtype, std::uint64_t> dtypes, index_dtypes, mask_dtypes;
  std::map<FillKind, std::uint64_t> fills;
  std::map<std::pair<int, int>, std::uint64_t> rules;
  std::map<std::tuple<int, int, int>, std::uint64_t> forms;
  std::map<int, std::uint64_t> indexed, many_indices, negative;  ///< by operator
  /// Masks in lists of indices that have two elements or more, and those that set two or more.
  std::uint64_t gaps_alone = 0, listed_masks = 0, listed_masks_of_several = 0;
};

void count_list(const Case& c, DrawnMix& mix) {
  if (!lists_indices(overload_of(c))) return;
  ++mix.lists;
  mix.gaps_alone += has_gaps_alone(c);
  for (int k = 0; k < input_count(c); ++k) {
    const Operand& mask = operand_at(c, k);
    if (!spec_of(c, k).is_list || !mask.present || numel(mask.shape) < 2 ||
        family(mask.fill.kind) != FillFamily::kMask)
      continue;
    ++mix.listed_masks;
    mix.listed_masks_of_several += set_elements(mask) > 1;
  }
}

/// The most indices that one operand holds; -1 where the call takes none.
std::int64_t most_indices(const Case& c) {
  std::int64_t most = -1;
  for (const Operand& operand : c.operands) {
    if (operand.present && family(operand.fill.kind) == FillFamily::kIndex)
      most = std::max(most, numel(operand.shape));
  }
  return most;
}

void count_operands(const Case& c, DrawnMix& mix) {
  bool strided = false, expanded = false, overlapping = false, negative = false, left = false;
  std::int64_t largest = 0;
  for (std::size_t k = 0; k < c.operands.size(); ++k) {
    const Operand& operand = c.operands[k];
    mix.nones += !operand.present;
    if (!operand.present) continue;
    largest = std::max(largest, numel(operand.shape));
    strided |= !is_contiguous(operand.layout);
    expanded |= has_expanded(operand.layout);
    overlapping |= has_sliding(operand.layout);
    negative |= operand.fill.negatives != Negatives::kNone;
    left |= operand.guard == Guard::kLeft;
    ++mix.fills[operand.fill.kind];
    switch (family(operand.fill.kind)) {
      case FillFamily::kValue: ++mix.dtypes[operand.dtype]; break;
      case FillFamily::kIndex: ++mix.index_dtypes[operand.dtype]; break;
      case FillFamily::kMask:
        if (spec_of(c, static_cast<int>(k)).role != Role::kZeroOrNot)
          ++mix.mask_dtypes[operand.dtype];
        break;
    }
  }
  mix.strided += strided;
  mix.expanded += expanded;
  mix.overlapping += overlapping;
  if (negative) ++mix.negative[c.op];
  mix.left += left;
  mix.above_32768 += largest > 32768;
  mix.above_65536 += largest > 65536;
  mix.largest.push_back(largest);
}

const DrawnMix& drawn_mix() {
  static const DrawnMix mix = [] {
    DrawnMix mix;
    const std::vector<Target> targets = all_targets();
    Case c;
    for (std::uint64_t i = 0; i < kCases; ++i) {
      draw_case(3, 0, i, targets, {}, c);
      count_operands(c, mix);
      const Operand& self = c.operands[0];
      ++mix.ranks[rank(self.shape)];
      ++mix.forms[{c.op, c.overload, static_cast<int>(c.variant)}];
      if (const std::int64_t most = most_indices(c); most >= 0) {
        ++mix.indexed[c.op];
        mix.many_indices[c.op] += most > 65535;
      }
      if (c.breaks != 0) {
        ++mix.illegal;
        ++mix.rules[{c.op, c.breaks}];
      } else {
        const Dims result = operator_of(c).result(c).shape;
        mix.empty += numel(result) == 0;
        const Dims& last = c.operands.back().shape;
        mix.resized += c.variant == Variant::kOut && last != result;
        mix.resized_from_elements +=
            c.variant == Variant::kOut && last != result && numel(last) > 0;
      }
      mix.scalars += self.shape.empty();
      count_list(c, mix);
      mix.gathers += operator_of(c).name == "gather";
      mix.several += input_count(c) > static_cast<int>(overload_of(c).operands.size());
      if (operator_of(c).name == "gather") mix.index_differs += c.operands[1].shape != self.shape;
      if (i % 8 == 0 && c.operands.size() > 1 &&
          family(c.operands[1].fill.kind) == FillFamily::kIndex)
        mix.duplicates += has_duplicates(c, 1);
    }
    return mix;
  }();
  return mix;
}

double share(std::uint64_t count) {
  return static_cast<double>(count) / static_cast<double>(kCases);
}

TEST(Mix, FewEmptyHalfStridedAFifthExpanded) {
  EXPECT_LE(share(drawn_mix().empty), 0.10);
  EXPECT_GT(share(drawn_mix().empty), 0.01);
  EXPECT_GE(share(drawn_mix().strided), 0.50);
  EXPECT_LE(share(drawn_mix().strided), 0.98);
  EXPECT_GE(share(drawn_mix().expanded), 0.20);
  EXPECT_GT(share(drawn_mix().overlapping), 0.01);
}

TEST(Mix, TheMedianCaseHas24ElementsOrMoreAndSomeAreLarge) {
  std::vector<std::int64_t> largest = drawn_mix().largest;
  std::ranges::nth_element(largest, largest.begin() + kCases / 2);
  EXPECT_GE(largest[kCases / 2], 24);
  EXPECT_GE(share(drawn_mix().above_32768), 0.0005);
  EXPECT_GE(drawn_mix().above_65536, 10u);
}

std::int64_t largest_operand(const Case& c) {
  std::int64_t largest = 0;
  for (const Operand& operand : c.operands) largest = std::max(largest, numel(operand.shape));
  return largest;
}

/// How many of the cases drawn within the limits are huge.
std::uint64_t count_huge(std::uint64_t drawn, const Limits& limits) {
  const std::vector<Target> targets = all_targets();
  std::uint64_t huge = 0;
  Case c;
  for (std::uint64_t i = 0; i < drawn; ++i) {
    draw_case(5, 0, i, targets, limits, c);
    if (largest_operand(c) <= kUsualElements) continue;
    ++huge;
    EXPECT_LE(largest_operand(c), kHugeElements);
    draw_case(5, 0, i, targets, usual(limits), c);
    EXPECT_LE(largest_operand(c), kUsualElements);
  }
  return huge;
}

TEST(Mix, AHugeCaseComesNowAndThenUnlessTheLimitsForbidIt) {
  constexpr std::uint64_t kDrawn = 1 << 19;
  Limits on_host;
  on_host.gpu = false;
  const std::uint64_t huge = count_huge(kDrawn, on_host);
  EXPECT_GE(huge, 2u);
  EXPECT_LE(huge, kDrawn / 16'384);
  // On a GPU many indices name rows of several elements, too.
  const std::uint64_t with_wide_rows = count_huge(kDrawn, {});
  EXPECT_GE(with_wide_rows, 2u);
  EXPECT_LE(with_wide_rows, kDrawn / 2048);
}

TEST(Mix, EveryOperatorMeetsMoreIndicesThanAGridHasRows) {
  EXPECT_GE(drawn_mix().indexed.size(), 10u);
  for (const auto& [op, cases] : drawn_mix().indexed) {
    const std::uint64_t many = drawn_mix().many_indices.at(op);
    EXPECT_GE(many, cases / 20'000)
        << find_operator(static_cast<std::uint16_t>(op))->name << " has " << cases;
    EXPECT_LE(many, cases / 500) << find_operator(static_cast<std::uint16_t>(op))->name;
  }
}

TEST(Mix, ListsSelectSomethingAndTheirMasksSeveral) {
  EXPECT_GE(drawn_mix().listed_masks, drawn_mix().lists / 8);
  EXPECT_GE(drawn_mix().listed_masks_of_several, drawn_mix().listed_masks / 2);
  EXPECT_LE(drawn_mix().gaps_alone, drawn_mix().lists / 64);
  EXPECT_GE(drawn_mix().gaps_alone, drawn_mix().lists / 512);
}

TEST(Mix, AboutOneInTwentyIsIllegalAndEveryRuleIsReached) {
  EXPECT_GE(share(drawn_mix().illegal), 0.035);
  EXPECT_LE(share(drawn_mix().illegal), 0.065);
  for (const OperatorInfo* row : operators()) {
    for (const IllegalRule& rule : row->rules) {
      const auto count = drawn_mix().rules.find({row->number, rule.number});
      EXPECT_TRUE(count != drawn_mix().rules.end()) << row->name << " " << rule.name;
    }
  }
}

TEST(Mix, EveryRankDtypeFillAndFormIsDrawn) {
  for (int r = 0; r <= 10; ++r) EXPECT_GT(drawn_mix().ranks.count(r), 0u) << "rank " << r;
  EXPECT_EQ(drawn_mix().dtypes.size(), static_cast<std::size_t>(kDtypeCount));
  EXPECT_EQ(drawn_mix().index_dtypes.size(), 5u);
  EXPECT_EQ(drawn_mix().mask_dtypes.size(), 2u);
  for (int i = 0; i < 256; ++i) {
    const auto kind = static_cast<FillKind>(i);
    if (fill_from_name(name(kind)) != kind || kind == FillKind::kZeros)
      continue;  // zeros come of rules only
    EXPECT_GT(drawn_mix().fills.count(kind), 0u) << name(kind);
  }
  EXPECT_EQ(drawn_mix().forms.size(), all_targets().size());
}

/// The most that an element of the result grows by where 1 is added in place of each number.
double most_added_to_one_element(Case c, int self, int source) {
  // The indices of a table are not as the oracle reads them.
  for (Operand& operand : c.operands) operand.slices = SlicePlacement::kByLayout;
  Expectation e = expectation(c);
  const auto set = [&](int k, std::int64_t value) {
    const Dtype dtype = operand_at(c, k).dtype, real = component(dtype);
    std::vector<std::byte>& bytes = e.operands[static_cast<std::size_t>(k)];
    for (std::size_t at = 0; at < bytes.size(); at += item_size(real))
      write_exact(real, at % item_size(dtype) == 0 ? value : 0, &bytes[at]);
  };
  for (int k = 0; k < input_count(c); ++k) {
    if (spec_of(c, k).is_factor) set(k, 1);
  }
  set(self, 0);
  set(source, 1);
  std::vector<LogicalOperand> logical;
  for (const std::vector<std::byte>& bytes : e.operands)
    logical.push_back({bytes.data(), numel(c.operands[logical.size()].shape)});
  operator_of(c).oracle({c, logical}, e.values.data());
  const std::vector<double> added = numbers(e.result.dtype, e.values);
  return added.empty() ? 0 : *std::ranges::max_element(added);
}

TEST(Mix, SumsAreRoundedNowAndThenWhereNoElementIsAddedToTwice) {
  struct Sum {
    std::string_view op;
    int source;
  };
  for (const auto& [op, source] :
       {Sum{"scatter_add", 2}, Sum{"index_add", 2}, Sum{"index_put", 1}, Sum{"put", 2}}) {
    int floating = 0, rounded = 0;
    with_drawn(op, 30'000, [&, source = source](const Case& c) {
      const auto& attributes = overload_of(c).attributes;
      const auto accumulate = std::ranges::find(attributes, "accumulate", &AttributeSpec::name);
      const bool sums = accumulate == attributes.end() ||
                        c.attributes[static_cast<std::size_t>(accumulate - attributes.begin())];
      if (c.breaks != 0 || !sums || !is_floating_or_complex(c.operands[0].dtype)) return;
      ++floating;
      if (c.operands[0].fill.kind != FillKind::kSums4) return;
      ++rounded;
      if (numel(c.operands[0].shape) > 5000) return;
      ASSERT_LE(most_added_to_one_element(c, 0, source), 1) << to_text(c);
    });
    EXPECT_GT(rounded, floating / 100) << op << " of " << floating;
  }
}

TEST(Mix, AnIndexOutOfRangeStandsAnywhereAndIsNowAndThenFarOut) {
  int poked = 0, at_end = 0, just_beyond = 0, truncated_legal = 0;
  with_drawn("gather", 100'000, [&](const Case& c) {
    Case applied = c;
    if (c.breaks == 0 || !apply_rule(applied) || !applied.operands[1].poked) return;
    const Operand& index = applied.operands[1];
    const std::int64_t bound = operator_of(c).index_bound(c, 1);
    ++poked;
    at_end += index.poke_position == numel(index.shape) - 1;
    just_beyond += index.poke_value == bound || index.poke_value == -1;
    const auto low = static_cast<std::int32_t>(index.poke_value);
    truncated_legal += index.dtype == Dtype::kInt64 && 0 <= low && low < bound;
  });
  EXPECT_GT(poked, 500);
  EXPECT_LT(at_end * 10, poked * 9);
  EXPECT_GT(just_beyond * 2, poked);
  EXPECT_LT(just_beyond * 10, poked * 9);
  EXPECT_GT(truncated_legal * 100, poked);
}

TEST(Mix, ValuesOfIndexPutHaveUpToTheDimensionsThatAreSelected) {
  int several = 0, more_than_self = 0, as_many_as_selected = 0, gaps_alone = 0;
  with_drawn("index_put", 20'000, [&](const Case& c) {
    const Operand& first = c.operands[2];
    gaps_alone += input_count(c) == 3 && !first.present;
    if (!first.present || family(first.fill.kind) != FillFamily::kIndex) return;
    const int values = rank(c.operands[1].shape), self = rank(c.operands[0].shape);
    several += rank(first.shape) >= 2;
    more_than_self += rank(first.shape) >= 2 && values > self;
    as_many_as_selected +=
        rank(first.shape) >= 2 && input_count(c) == 3 && values == self - 1 + rank(first.shape);
  });
  EXPECT_GT(more_than_self * 5, several);
  EXPECT_GT(as_many_as_selected * 5, several);
  EXPECT_GT(gaps_alone, 20);
}

TEST(Mix, WhatMayHaveAnyShapeOftenHasItsOwnRank) {
  int index = 0, flat = 0, flat_index = 0, put_index = 0, put_source = 0, source = 0;
  constexpr int kDrawn = 20'000;
  const auto ranks_differ = [](const Case& c, std::size_t a, std::size_t b) {
    return c.operands[a].shape.size() != c.operands[b].shape.size();
  };
  with_drawn("take", kDrawn, [&](const Case& c) { index += ranks_differ(c, 0, 1); });
  with_drawn("take_along_dim", kDrawn, [&](const Case& c) {
    if (c.attributes[0] != kNoInt) return;
    ++flat;
    flat_index += ranks_differ(c, 0, 1);
  });
  with_drawn("put", kDrawn, [&](const Case& c) {
    put_index += ranks_differ(c, 0, 1);
    put_source += ranks_differ(c, 1, 2);
  });
  with_drawn("masked_scatter", kDrawn, [&](const Case& c) { source += ranks_differ(c, 0, 2); });
  for (const int count : {index, put_index, put_source, source}) {
    EXPECT_GT(count * 3, kDrawn);
    EXPECT_LT(count * 3, kDrawn * 2);
  }
  EXPECT_GT(flat_index * 3, flat);
  EXPECT_LT(flat_index * 3, flat * 2);
}

TEST(Mix, IndicesThatMayBeNegativeOftenAre) {
  const DrawnMix& mix = drawn_mix();
  EXPECT_GE(mix.negative.size(), 6u);
  for (const auto& [op, cases] : mix.negative)
    EXPECT_GE(cases * 10, mix.indexed.at(op) * 3)
        << find_operator(static_cast<std::uint16_t>(op))->name;
}

TEST(Mix, EveryTraitHasItsShare) {
  const DrawnMix& mix = drawn_mix();
  EXPECT_GT(share(mix.duplicates * 8), 0.20);
  EXPECT_GT(share(mix.left), 0.30);
  EXPECT_GT(share(mix.resized), 0.02);
  EXPECT_GT(share(mix.resized_from_elements), 0.01);
  EXPECT_GT(static_cast<double>(mix.nones), 0.138 * static_cast<double>(mix.lists));
  EXPECT_GT(mix.several * 5, mix.lists);
  EXPECT_GT(share(mix.scalars), 0.01);
  EXPECT_GT(mix.index_differs * 2, mix.gathers);
}

}  // namespace
}  // namespace indexfuzz
