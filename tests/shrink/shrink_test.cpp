// Laws of shrinking, and what cases end as.

#include "shrink/shrink.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "../written_case.h"
#include "ops/repair/repair.h"
#include "shrink/arbitrary.h"

namespace indexfuzz {
namespace {

RC_GTEST_PROP(Shrink, EveryCandidateIsLegalAndStrictlySimpler, (const Case& c)) {
  for (const Case& candidate : shrink_candidates(c, Limits{})) {
    RC_ASSERT(simpler(candidate, c));
    RC_ASSERT(!simpler(c, candidate));
    RC_ASSERT(why_illegal(candidate) == "");
    RC_ASSERT(candidate.op == c.op && candidate.variant == c.variant &&
              candidate.breaks == c.breaks);
    Case repaired = candidate;
    repair(repaired, Limits{});
    RC_ASSERT(repaired == candidate);
  }
}

RC_GTEST_PROP(Shrink, EndsAtACaseWithoutCandidates, (const Case& c)) {
  int rounds = 0;
  const Case least = shrink(c, Limits{}, [&](std::span<const Case>) { return ++rounds, 0; });
  RC_ASSERT(rounds < 1000);
  RC_ASSERT(shrink_candidates(least, Limits{}).empty());
}

RC_GTEST_PROP(Shrink, KeepsWhatFailsAndNeverMovesWhereNothingDoes, (const Case& c)) {
  RC_ASSERT(shrink(c, Limits{}, [](std::span<const Case>) { return -1; }) == c);
  const Dtype dtype = c.operands[0].dtype;
  const Case least = shrink(c, Limits{}, [&](std::span<const Case> candidates) {
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      if (candidates[i].operands[0].dtype == dtype) return static_cast<int>(i);
    }
    return -1;
  });
  RC_ASSERT(least.operands[0].dtype == dtype);
}

/// Shrinks every legal drawn case of an operator that fails to the least one that does.
template <typename Fails>
std::vector<Case> minimal_cases(std::string_view op, Variant variant, std::size_t wanted,
                                Fails&& fails) {
  const Target target{find_operator(op)->number, 0, variant};
  std::vector<Case> minimal;
  for (std::uint64_t i = 0; i < 20000 && minimal.size() < wanted; ++i) {
    Case c;
    draw_case(21, 0, i, {&target, 1}, {}, c);
    if (c.breaks != 0 || !fails(c)) continue;
    minimal.push_back(shrink(c, Limits{}, [&](std::span<const Case> candidates) {
      const auto found = std::ranges::find_if(candidates, fails);
      return found == candidates.end() ? -1 : static_cast<int>(found - candidates.begin());
    }));
  }
  EXPECT_EQ(minimal.size(), wanted);
  return minimal;
}

TEST(Shrink, AThresholdAmongLargeSizesIsReachedInFewSteps) {
  const Case huge = written(
      "take functional\n"
      "self complex128 (1)\n"
      "index int64 (1500000) step=(2) fill=few1 seed=3\n");
  int looked_at = 0;
  const Case least = shrink(huge, Limits{}, [&](std::span<const Case> candidates) {
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      ++looked_at;
      if (numel(candidates[i].operands[1].shape) > 262'144) return static_cast<int>(i);
    }
    return -1;
  });
  EXPECT_EQ(numel(least.operands[1].shape), 262'145);
  EXPECT_LT(looked_at, 1'000);
}

TEST(Shrink, WhatReachesBeyondAnOperandNeedsNoRegionFullOfElementsToBeSeen) {
  // As a kernel that reads one row more: behind a guard page in front, only once it leaves 8 KiB.
  const auto reads_a_page = [](const Case& c) {
    const Operand& self = c.operands[0];
    return self.shape.size() == 1 && self.shape[0] > (self.guard == Guard::kRight ? 1 : 2048);
  };
  const Case large =
      written("index_select functional\nself float32 (4000)\nindex int64 (1) fill=first\n");
  const Case minimal = shrink(large, Limits{}, [&](std::span<const Case> candidates) {
    const auto found = std::ranges::find_if(candidates, reads_a_page);
    return found == candidates.end() ? -1 : static_cast<int>(found - candidates.begin());
  });
  EXPECT_EQ(minimal.operands[0].shape, (Dims{2}));
}

TEST(Shrink, AStridedSelfAndFiveIndicesBecomeAtMostTwiceTheLeast) {
  const auto fails = [](const Case& c) {
    const Dims& shape = c.operands[0].shape;
    const Dims strides = strided(shape, c.operands[0].layout).strides,
               dense = row_major_strides(shape);
    bool differs = false;
    for (std::size_t d = 0; d < shape.size(); ++d)
      differs |= shape[d] > 1 && strides[d] != dense[d];
    return differs && numel(c.operands[1].shape) >= 5;
  };
  for (const Case& c : minimal_cases("index_select", Variant::kFunctional, 60, fails)) {
    // Two elements with a step are enough; a slice of two rows is a minimum of its own.
    EXPECT_LE(numel(c.operands[0].shape), 4) << to_text(c);
    EXPECT_EQ(c.operands[1].shape, (Dims{5})) << to_text(c);
    EXPECT_EQ(c.operands[0].dtype, Dtype::kFloat);
    EXPECT_EQ(c.operands[1].fill.kind, FillKind::kFirst);
    EXPECT_TRUE(is_contiguous(c.operands[1].layout));
  }
}

TEST(Shrink, WhatFailsWithSeveralDtypesEndsWithThePlainestOfThem) {
  const auto fails = [](const Case& c) {
    const DtypeSet complex =
        set_of(Dtype::kComplexHalf) | set_of(Dtype::kComplexFloat) | set_of(Dtype::kComplexDouble);
    return contains(complex, c.operands[0].dtype);
  };
  // The scalar beside them has a dtype of its own.
  for (const Case& c : minimal_cases("index_fill", Variant::kInPlace, 30, fails))
    EXPECT_EQ(c.operands[0].dtype, Dtype::kComplexFloat) << to_text(c);
  const auto no_bool = [](const Case& c) { return c.operands[0].dtype != Dtype::kBool; };
  for (const Case& c : minimal_cases("nonzero", Variant::kFunctional, 30, no_bool))
    EXPECT_EQ(c.operands[0].dtype, Dtype::kFloat) << to_text(c);
}

TEST(Shrink, WhatFailsWithAnyPlaceInMemoryButTheOrdinaryOneEndsWithAStorageOffset) {
  const auto fails = [](const Case& c) {
    const Operand& self = c.operands[0];
    return !is_contiguous(self.layout) || self.guard == Guard::kRight ||
           self.slices != SlicePlacement::kByLayout;
  };
  for (const Case& c : minimal_cases("take", Variant::kFunctional, 60, fails)) {
    Operand expected = c.operands[0];
    expected.layout = contiguous_layout(rank(expected.shape));
    expected.layout.offset = 1;
    expected.guard = Guard::kLeft;
    expected.slices = SlicePlacement::kByLayout;
    EXPECT_EQ(c.operands[0], expected) << to_text(c);
  }
}

TEST(Shrink, WhatFailsWithAnyTableEndsWithTheSmallerOne) {
  const Case large = written(
      "index_select functional\nself float32 (2) slices=far_last\nindex int64 (1) fill=first\n");
  const Case minimal = shrink(large, Limits{}, [](std::span<const Case> candidates) {
    const auto found = std::ranges::find_if(
        candidates, [](const Case& c) { return are_last(c.operands[0].slices); });
    return found == candidates.end() ? -1 : static_cast<int>(found - candidates.begin());
  });
  EXPECT_EQ(minimal.operands[0].slices, SlicePlacement::kLastBehind2To31);
}

TEST(Shrink, OfSizesThatMakeNoElementOneIsThePlainest) {
  const Case c = written(
      "index.Tensor functional\nself float32 (48, 0)\nindices bool (48, 0) fill=mask_front\n");
  const auto fails = [](const Case& candidate) {
    return candidate.operands.size() == 2 && rank(candidate.operands[1].shape) == 2 &&
           candidate.operands[1].shape[1] == 0 && candidate.operands[1].shape[0] > 0;
  };
  const Case least = shrink(c, Limits{}, [&](std::span<const Case> candidates) {
    const auto first = std::ranges::find_if(candidates, fails);
    return first == candidates.end() ? -1 : static_cast<int>(first - candidates.begin());
  });
  EXPECT_EQ(least.operands[1].shape, (Dims{1, 0}));
}

TEST(Shrink, WhatFailsWithWholeVectorsOnlyEndsWithOne) {
  const auto fails = [](const Case& c) {
    const std::int64_t count = numel(c.operands[1].shape);
    return count > 0 && count % 4 == 0;
  };
  for (const Case& c : minimal_cases("take", Variant::kFunctional, 30, fails))
    EXPECT_EQ(c.operands[1].shape, Dims{4}) << to_text(c);
}

TEST(Shrink, ADuplicateInTheSecondOfTwoIndexTensorsBecomesTwoIndices) {
  const auto fails = [](const Case& c) {
    return numel(c.operands[0].shape) > 0 && input_count(c) >= 4 && c.operands[2].present &&
           c.operands[3].present && family(c.operands[3].fill.kind) == FillFamily::kIndex &&
           numel(c.operands[3].shape) >= 2;
  };
  for (const Case& c : minimal_cases("index_put", Variant::kInPlace, 30, fails)) {
    EXPECT_EQ(c.operands[0].shape, (Dims{1, 1})) << to_text(c);
    EXPECT_EQ(c.operands.size(), 4u) << to_text(c);
    EXPECT_EQ(numel(c.operands[3].shape), 2) << to_text(c);
  }
}

TEST(Shrink, TwoRowsOfTwoColumnsStayForAKernelThatNeedsBoth) {
  const auto fails = [](const Case& c) {
    const Dims& index = c.operands[1].shape;
    return numel(index) > 0 && index.size() >= 2 && index[0] >= 2 && index[1] >= 2;
  };
  for (const Case& c : minimal_cases("gather", Variant::kFunctional, 30, fails)) {
    EXPECT_EQ(c.operands[1].shape, (Dims{2, 2})) << to_text(c);
    EXPECT_EQ(numel(c.operands[0].shape), 2) << to_text(c);
  }
}

/// Shrinks one failing case to the least one that fails.
template <typename Fails>
Case minimal_case(const Case& c, Fails&& fails) {
  EXPECT_TRUE(fails(c));
  return shrink(c, Limits{}, [&](std::span<const Case> candidates) {
    const auto found = std::ranges::find_if(candidates, fails);
    return found == candidates.end() ? -1 : static_cast<int>(found - candidates.begin());
  });
}

TEST(Shrink, WhatIsCountedInBytesHasFewerElementsWhereTheyAreWider) {
  const auto fails = [](const Case& c) {
    const Operand& self = c.operands[0];
    const std::int64_t row = self.shape.empty() ? 1 : self.shape.back();
    return row * static_cast<std::int64_t>(item_size(self.dtype)) > 48 << 10;
  };
  const Case least = minimal_case(
      written("gather functional dim=1\nself bool (3, 70000)\nindex int64 (2, 50) fill=random1\n"),
      fails);
  EXPECT_LE(total_elements(least), (48 << 10) / 8 + 2) << to_text(least);
}

TEST(Shrink, AValueThatOnlyAFewSeedsGiveIsFoundInTheSmallestShapes) {
  // A zero stays negative though another one was added to it.
  const auto fails = [](const Case& c) {
    if (c.operands[0].dtype != Dtype::kBFloat16) return false;
    const Expectation e = expectation(c);
    const auto self = bits_of<std::uint16_t>(e.operands[0]);
    const auto result = bits_of<std::uint16_t>(e.values);
    for (std::size_t i = 0; i < self.size(); ++i)
      if (self[i] == 0x8000 && result[i] == 0) return true;
    return false;
  };
  for (const char* text : {"scatter_add functional dim=1\n"
                           "self bfloat16 (2, 1) fill=sums3 seed=6\n"
                           "index int64 (2, 1) fill=first\n"
                           "src bfloat16 (3, 43) fill=sums1\n",
                           "scatter_add functional\n"
                           "self bfloat16 (23) fill=sums3 seed=29051\n"
                           "index int64 (18) fill=random1 seed=1469\n"
                           "src bfloat16 (26) fill=sums1 seed=34385\n"}) {
    const Case least = minimal_case(written(text), fails);
    EXPECT_EQ(total_elements(least), 3) << to_text(least);
  }
}

TEST(Shrink, APatternInALargeMaskIsFoundInASmallOne) {
  // Four of eight, the first and the last among them.
  const auto fails = [](const Case& c) {
    const Expectation e = expectation(c);
    const std::vector<std::byte>& mask = e.operands[1];
    if (c.operands[1].dtype != Dtype::kBool) return false;
    for (std::size_t i = 0; i + 8 <= mask.size(); i += 8) {
      const auto eight = std::span(mask).subspan(i, 8);
      if (std::ranges::count(eight, std::byte{1}) == 4 && eight.front() == std::byte{1} &&
          eight.back() == std::byte{1})
        return true;
    }
    return false;
  };
  int tried = 0;
  for (int seed = 0; tried < 5; ++seed) {
    const Case large = written(
        "masked_select functional\nself float32 (43)\n"
        "mask bool (43) fill=mask_random1 popcount=20 seed=" +
        std::to_string(seed) + "\n");
    if (!fails(large)) continue;
    ++tried;
    const Case least = minimal_case(large, fails);
    EXPECT_LE(total_elements(least), 20) << to_text(least);
  }
}

TEST(Shrink, ASumThatOverflowsNeedsTwoElementsWhereverItBegan) {
  const auto fails = [](const Case& c) {
    if (c.operands[0].dtype != Dtype::kInt8 || c.operands[1].fill.kind != FillKind::kFirst ||
        c.operands[1].fill.negatives != Negatives::kNone)
      return false;
    const Expectation e = expectation(c);
    if (e.operands[0].empty()) return false;
    double sum = numbers(Dtype::kInt8, e.operands[0]).front();
    for (const double part : numbers(Dtype::kInt8, e.operands[2])) sum += part;
    return c.attributes[0] != 0 && (sum > 127 || sum < -128);
  };
  const Case least = minimal_case(written("put functional accumulate=true\n"
                                          "self int8 ()\n"
                                          "index int64 (16) fill=first\n"
                                          "source int8 (16)\n"),
                                  fails);
  EXPECT_LE(total_elements(least), 3) << to_text(least);
}

TEST(Shrink, ARowThatDoesNotMatterBecomesNone) {
  const auto always = [](const Case&) { return true; };
  const auto padded = [](const Case& c) { return c.attributes[1] != kNoRow; };
  for (const Case& c : minimal_cases("embedding_dense_backward", Variant::kOut, 30, always))
    EXPECT_EQ(c.attributes[1], kNoRow) << to_text(c);
  for (const Case& c : minimal_cases("embedding_dense_backward", Variant::kOut, 30, padded))
    EXPECT_EQ(c.attributes[1], 0) << to_text(c);
}

TEST(Shrink, APlaceForANewDimensionIsCountedFromTheFront) {
  // The last of two: -1 counts one place more than the entries have dimensions.
  const auto fails = [](const Case& c) {
    return rank(c.operands[0].shape) == 1 && (c.attributes[0] == -1 || c.attributes[0] == 1);
  };
  const Case least = minimal_case(written("stack functional dim=-1\ntensors float32 (2)\n"), fails);
  EXPECT_EQ(least.attributes[0], 1) << to_text(least);
}

TEST(Shrink, ANegativeNumberThatNamesNoDimensionComesNearerByOne) {
  const auto fails = [](const Case& c) { return c.attributes[0] <= -5; };
  const Case least =
      minimal_case(written("tril functional diagonal=-6\nself float32 (8, 8)\n"), fails);
  EXPECT_EQ(least.attributes[0], -5) << to_text(least);
}

TEST(Shrink, ADiagonalComesNearerAsItsMatrixBecomesSmaller) {
  // Nearer to the main diagonal, a matrix of this size has more elements in src; a smaller one has
  // none so far away.
  const auto fails = [](const Case& c) {
    const Dims& self = c.operands[0].shape;
    return self.size() == 2 && self[0] == self[1] && c.attributes[0] < 0 &&
           numel(c.operands[1].shape) > 0;
  };
  const Case least = minimal_case(written("diagonal_scatter functional offset=-5 dim1=1\n"
                                          "self float32 (6, 6)\nsrc float32 (1)\n"),
                                  fails);
  EXPECT_EQ(total_elements(least), 5) << to_text(least);
}

TEST(Shrink, APlaneBecomesSmallerTogetherWithOneThatHasAsManyElements) {
  const auto fails = [](const Case& c) {
    const Dims& self = c.operands[0].shape;
    const std::int64_t plane = numel(self) / std::max<std::int64_t>(self.front(), 1);
    return self.front() >= 2 && plane >= 2 && plane == c.attributes[0] * c.attributes[1];
  };
  const Case least =
      minimal_case(written("max_unpool2d functional output_height=5 output_width=3\n"
                           "self float32 (2, 1, 15)\nindices int64 (2, 1, 15) fill=first\n"),
                   fails);
  EXPECT_EQ(total_elements(least), 8) << to_text(least);
}

TEST(Shrink, AFactorThatDoesNotMatterBecomesOne) {
  const auto fails = [](const Case& c) { return numel(c.operands[1].shape) >= 4; };
  for (const Case& c : minimal_cases("index_add", Variant::kInPlace, 20, fails))
    EXPECT_EQ(numbers(c.operands[3].dtype, expectation(c).operands[3]).front(), 1) << to_text(c);
}

TEST(Arbitrary, OneRandomGivesOneCaseAndItsShrinksAreTheCandidates) {
  const rc::Gen<Case> gen = rc::gen::arbitrary<Case>();
  const rc::Random random(42);
  const rc::Shrinkable<Case> first = gen(random, 100), second = gen(random, 0);
  EXPECT_EQ(first.value(), second.value());
  std::vector<Case> shrinks;
  auto seq = first.shrinks();
  while (auto shrinkable = seq.next()) shrinks.push_back(shrinkable->value());
  EXPECT_FALSE(shrinks.empty());
  EXPECT_EQ(shrinks, shrink_candidates(first.value(), Limits{}));
}

}  // namespace
}  // namespace indexfuzz
