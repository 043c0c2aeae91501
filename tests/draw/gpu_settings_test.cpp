// What only calls on GPUs meet: drawn, kept legal, made plain again.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <tuple>

#include "../written_case.h"
#include "case/far_slices.h"
#include "draw/draw.h"
#include "draw/mutate.h"
#include "judge/signature.h"
#include "ops/definition/illegal_rule.h"
#include "ops/definition/operator.h"
#include "ops/repair/repair.h"
#include "ops/text/case_text.h"
#include "shrink/shrink.h"

namespace indexfuzz {
namespace {

TEST(GpuSettings, AreThoseOfAWholeTurnAndMostlyPlain) {
  const std::vector<Target> targets = all_targets();
  constexpr int kTurns = 2048;
  std::map<std::tuple<bool, bool, bool, bool>, int> turns;
  int side_streams = 0, with_idle_others = 0;
  Case c;
  for (std::uint64_t turn = 0; turn < kTurns; ++turn) {
    draw_case(1, 0, turn * kOperatorTurn, targets, {}, c);
    const GpuSettings first = c.gpu;
    draw_case(1, 0, (turn + 1) * kOperatorTurn - 1, targets, {}, c);
    ASSERT_EQ(c.gpu, first);
    side_streams += first.side_stream;
    with_idle_others += first.idle_others;
    ASSERT_LE(first.idle_others, first.side_stream);
    ++turns[{first.side_stream, first.deterministic, first.other_device, first.busy_memory}];
  }
  EXPECT_GT((turns[{false, false, false, false}]), kTurns / 2);
  EXPECT_GT((turns[{true, false, false, false}]), kTurns / 128);
  EXPECT_GT((turns[{false, true, false, false}]), kTurns / 64);
  EXPECT_GT((turns[{false, false, true, false}]), kTurns / 64);
  EXPECT_GT((turns[{false, false, false, true}]), kTurns / 32);
  EXPECT_GT(with_idle_others, side_streams / 4);
  EXPECT_LT(with_idle_others, side_streams - side_streams / 4);
}

/// A kernel that is right may answer with an assertion, which must end no batch of others.
TEST(GpuSettings, AnIndexIntoNothingMayEndTheContext) {
  Limits legal;
  legal.illegal = false;
  std::set<std::string> seen;
  Case c;
  for (const Target& target : all_targets()) {
    const OperatorInfo& op = *find_operator(target.op);
    for (std::uint64_t i = 0; i < 64 * op.rules.size(); ++i) {
      draw_case(3, 0, i, std::span(&target, 1), legal, c);
      c.breaks = op.rules[i % op.rules.size()].number;
      Case applied = c;
      if (!apply_rule(applied) || applied.attributes != c.attributes) continue;
      for (int k = 0; k < input_count(applied); ++k) {
        const Operand& index = operand_at(applied, k);
        if (!index.present || family(index.fill.kind) != FillFamily::kIndex ||
            numel(index.shape) == 0 || op.index_bound(c, k) == 0 || op.index_bound(applied, k) != 0)
          continue;
        seen.insert(std::string(op.name));
        EXPECT_TRUE(is_illegal_by_value(applied)) << op.name << " " << rule_of(c)->name;
      }
    }
  }
  EXPECT_GT(seen.size(), 8u);
}

TEST(GpuSettings, OperandsAreOnTheHostWhereTheirOperatorTakesThemThere) {
  std::set<std::string> expected, seen;
  Case c;
  for (const Target& target : all_targets()) {
    const OperatorInfo& op = *find_operator(target.op);
    const Overload& overload = op.overloads[target.overload];
    const std::string name = fmt::format("{}.{} ", op.name, overload.name);
    for (const OperandSpec& spec : overload.operands)
      if (spec.on_host != OnHost::kNever) expected.insert(name + std::string(spec.name));
    for (std::uint64_t turn = 0; turn < 4'096; ++turn) {
      draw_case(1, 0, turn * kOperatorTurn, std::span(&target, 1), {}, c);
      for (int k = 0; k < static_cast<int>(c.operands.size()); ++k) {
        if (!operand_at(c, k).on_host) continue;
        ASSERT_TRUE(c.gpu.side_stream);
        ASSERT_EQ(c.breaks, 0);
        seen.insert(name + std::string(spec_of(c, k).name));
      }
    }
  }
  EXPECT_GT(expected.size(), 8u);
  EXPECT_EQ(seen, expected);
}

TEST(GpuSettings, OperandsAreFarWhereThatIsPossible) {
  const std::vector<Target> targets = all_targets();
  int far = 0, half = 0, far_written = 0;
  Case c;
  for (std::uint64_t turn = 0; turn < 6'000; ++turn) {
    for (std::uint64_t i = 0; i < 8; ++i) {
      draw_case(1, 0, turn * kOperatorTurn + i, targets, {}, c);
      for (int k = 0; k < static_cast<int>(c.operands.size()); ++k) {
        const Operand& operand = operand_at(c, k);
        if (!are_apart(operand.slices)) continue;
        ++far;
        half += operand.slices == SlicePlacement::kApartBy2To30;
        far_written += k == written_operand(c);
        ASSERT_TRUE(far_slices(operand));
        // One offset at least needs more than 31 bits.
        ASSERT_GE(far_view(operand).extent, std::int64_t{1} << 31);
        ASSERT_EQ(c.breaks, 0);
      }
    }
  }
  EXPECT_GT(far, 20);
  EXPECT_GT(half, far / 10);
  EXPECT_LT(half, far);
  EXPECT_GT(far_written, 2);
}

TEST(GpuSettings, LeaveTheDeterministicFlagAndFarSlicesWithoutGpus) {
  const std::vector<Target> targets = all_targets();
  Limits limits;
  limits.gpu = false;
  Choices choices(1);
  Case c;
  constexpr int kTurns = 4'096;
  int deterministic = 0, after_mutation = 0, far = 0;
  for (std::uint64_t turn = 0; turn < kTurns; ++turn) {
    draw_case(1, 0, turn * kOperatorTurn + turn % kOperatorTurn, targets, limits, c);
    deterministic += c.gpu.deterministic;
    for (int i = 0; i < 8; ++i) {
      ASSERT_EQ(c.gpu, GpuSettings{.deterministic = c.gpu.deterministic});
      for (const Operand& operand : c.operands) {
        ASSERT_FALSE(operand.on_host);
        far += operand.slices != SlicePlacement::kByLayout;
      }
      mutate(choices, targets, limits, c);
    }
    after_mutation += c.gpu.deterministic;
  }
  EXPECT_GT(deterministic, kTurns / 64);
  EXPECT_LT(deterministic, kTurns / 16);
  EXPECT_GT(far, 20);
  EXPECT_GT(after_mutation, kTurns / 256);
  EXPECT_LT(after_mutation, kTurns / 16);
}

constexpr std::string_view kAll =
    "indexfuzz case 1\n"
    "masked_fill.Tensor functional stream=side algorithms=deterministic current_device=other "
    "memory=busy other_streams=idle\n"
    "self float32 (2, 3) slices=far\n"
    "mask bool (2, 3) fill=mask_front popcount=1\n"
    "value float32 () device=host\n";

TEST(GpuSettings, ArePrintedAndReadBack) {
  const ParsedCases parsed = parse_cases(kAll);
  ASSERT_EQ(parsed.error, "");
  const Case& c = parsed.cases[0];
  EXPECT_EQ(c.gpu, (GpuSettings{true, true, true, true, true}));
  EXPECT_EQ(c.operands[0].slices, SlicePlacement::kApartBy2To31);
  EXPECT_TRUE(c.operands[2].on_host);
  EXPECT_EQ(to_text(c), kAll);
}

TEST(GpuSettings, HalfAsFarTakesThreeSlices) {
  std::string text(kAll);
  text.replace(text.find("(2, 3) slices=far"), 17, "(2, 3) slices=half_far");
  EXPECT_NE(parse_cases(text).error.find("so far apart"), std::string::npos);
  for (std::size_t at = 0; (at = text.find("(2, 3)", at)) != std::string::npos;)
    text.replace(at, 6, "(3, 3)");
  const ParsedCases parsed = parse_cases(text);
  ASSERT_EQ(parsed.error, "");
  EXPECT_EQ(to_text(parsed.cases[0]), text);
  const Strided view = far_view(parsed.cases[0].operands[0]);
  EXPECT_EQ(view.strides[0], std::int64_t{1} << 30);
  EXPECT_EQ(view.extent, (std::int64_t{1} << 31) + 3);
}

TEST(GpuSettings, WhatCannotBeIsRefused) {
  const auto error_with = [](std::string_view from, std::string_view to) {
    std::string text(kAll);
    text.replace(text.find(from), from.size(), to);
    return parse_cases(text).error;
  };
  EXPECT_NE(error_with("(2, 3) fill", "(2, 3) device=host fill").find("on the host"),
            std::string::npos);
  EXPECT_NE(error_with("self float32 (2, 3)", "self float32 ()").find("far apart"),
            std::string::npos);
  EXPECT_NE(error_with("stream=side", "stream=other").find("side"), std::string::npos);
  EXPECT_NE(error_with("memory=busy", "memory=full").find("busy"), std::string::npos);
  EXPECT_NE(error_with("stream=side ", "").find("goes with stream=side"), std::string::npos);
}

TEST(GpuSettings, EachIsATraitThatCanBeMadePlain) {
  const Case c = parse_cases(kAll).cases.at(0);
  std::set<std::string> words;
  for (const Trait trait : traits(c)) {
    words.insert(describe(trait, c));
    Case plain = reset(c, trait);
    repair(plain, Limits{});
    if (plain != c) {
      const TraitSet left = traits(plain);
      EXPECT_FALSE(includes(left, TraitSet{trait})) << describe(trait, c);
    }
  }
  for (const char* const expected :
       {"the current stream is a busy one of its own", "algorithms are deterministic",
        "the current device is another one", "another stream reads memory",
        "other streams are idle", "self has strides beyond 32 bits", "value is on the host"})
    EXPECT_TRUE(words.contains(expected)) << expected;
}

TEST(GpuSettings, AreShrunkAwayWhereTheyDoNotMatterAndKeptWhereTheyDo) {
  const Case c = parse_cases(kAll).cases.at(0);
  const auto shrunk = [&](auto fails) {
    return shrink(c, Limits{}, [&](std::span<const Case> candidates) {
      for (std::size_t i = 0; i < candidates.size(); ++i) {
        if (fails(candidates[i])) return static_cast<int>(i);
      }
      return -1;
    });
  };
  const Case plain = shrunk([](const Case&) { return true; });
  EXPECT_EQ(plain.gpu, GpuSettings{});
  for (const Operand& operand : plain.operands)
    EXPECT_FALSE(operand.slices != SlicePlacement::kByLayout || operand.on_host);
  const Case busy = shrunk([](const Case& candidate) {
    return candidate.gpu.side_stream && candidate.operands[2].on_host;
  });
  EXPECT_EQ(busy.gpu, (GpuSettings{true, false, false}));
  EXPECT_TRUE(busy.operands[2].on_host);
  EXPECT_EQ(busy.operands[0].slices, SlicePlacement::kByLayout);
  const Case far = shrunk([](const Case& candidate) {
    return candidate.operands[0].slices != SlicePlacement::kByLayout;
  });
  EXPECT_EQ(far.operands[0].slices, SlicePlacement::kApartBy2To31);
  EXPECT_EQ(numel(far.operands[0].shape), 2);
}

}  // namespace
}  // namespace indexfuzz
