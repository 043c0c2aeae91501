// Laws of shrinking, and of the repair that it rests on.

#include "shrink/shrink.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "../written_case.h"
#include "case/bytes.h"
#include "shrink/arbitrary.h"

namespace indexfuzz {
namespace {

Limits any_limits() {
  Limits limits;
  limits.max_rank = *rc::gen::inRange(1, 9);
  limits.max_elements = std::int64_t{1} << *rc::gen::inRange(0, 22);
  limits.max_storage_bytes =
      std::max<std::int64_t>(limits.max_elements * 16, std::int64_t{1} << *rc::gen::inRange(4, 23));
  limits.max_index_tensors = *rc::gen::inRange(1, 6);
  limits.dtypes = *rc::gen::inRange<DtypeSet>(1, kAllDtypes + 1);
  const DtypeSet index[] = {set_of(Dtype::kInt32), set_of(Dtype::kInt64), kIndexDtypes};
  limits.index_dtypes = index[*rc::gen::inRange(0, 3)];
  for (bool* flag : {&limits.negative_indices, &limits.masks, &limits.strided, &limits.expanded,
                     &limits.overlapping, &limits.illegal, &limits.gpu, &limits.subnormal_sums}) {
    *flag = *rc::gen::arbitrary<bool>();
  }
  return limits;
}

/// Any structurally sound case: an encoded legal one with a few of its bytes changed, or noise.
Case any_case() {
  std::vector<std::byte> bytes(kEncodedBytes);
  if (*rc::gen::inRange(0, 3) != 0) encode(*rc::gen::arbitrary<Case>(), bytes.data());
  const int changes = *rc::gen::inRange(0, 60);
  for (int i = 0; i < changes; ++i) {
    bytes[*rc::gen::inRange(std::size_t{0}, bytes.size())] =
        static_cast<std::byte>(*rc::gen::inRange(0, 256));
  }
  return decode(bytes);
}

RC_GTEST_PROP(Repair, IsIdempotentUnderAnyLimits, ()) {
  const Limits limits = any_limits();
  Case once = any_case();
  const Case before = once;
  repair(once, limits);
  Case twice = once;
  repair(twice, limits);
  if (!(twice == once)) {
    RC_LOG() << "max_rank " << limits.max_rank << " max_elements " << limits.max_elements
             << " max_storage_bytes " << limits.max_storage_bytes << " max_index_tensors "
             << limits.max_index_tensors << " dtypes " << limits.dtypes << " index_dtypes "
             << limits.index_dtypes << " flags " << limits.negative_indices << limits.masks
             << limits.strided << limits.expanded << limits.overlapping << limits.illegal
             << "\nonce:\n"
             << to_text(once) << "twice:\n"
             << to_text(twice);
  }
  RC_ASSERT(twice == once);
}

RC_GTEST_PROP(Repair, KeepsWithinTheLimits, ()) {
  Limits limits = any_limits();
  // An operator that takes none of the dtypes keeps its own; all of them take this one.
  limits.dtypes |= set_of(Dtype::kFloat);
  Case c = any_case();
  repair(c, limits);
  const ResultSpec result = operator_of(c).result(c);
  RC_ASSERT(numel(result.shape) <= limits.max_elements);
  RC_ASSERT(c.breaks == 0 || limits.illegal);
  for (std::size_t k = 0; k < c.operands.size(); ++k) {
    const Operand& operand = c.operands[k];
    if (!operand.present) continue;
    const FillFamily fills = family(operand.fill.kind);
    const Strided view = strided(operand.shape, operand.layout);
    RC_ASSERT(numel(operand.shape) <= limits.max_elements);
    RC_ASSERT(view.storage_elements * static_cast<std::int64_t>(item_size(operand.dtype)) <=
              limits.max_storage_bytes);
    const Role role = spec_of(c, static_cast<int>(k)).role;
    if (role == Role::kScalar) {
      RC_ASSERT(contains(kScalarDtypes, operand.dtype) && operand.shape.empty());
    } else if (role == Role::kValue || role == Role::kZeroOrNot) {
      RC_ASSERT(contains(limits.dtypes, operand.dtype));
    } else if (fills == FillFamily::kIndex) {
      // Some operators take nothing else.
      RC_ASSERT(contains(limits.index_dtypes, operand.dtype) || operand.dtype == Dtype::kInt64);
    } else if (role == Role::kIndexOrMask) {
      RC_ASSERT(limits.masks && contains(kMaskDtypes, operand.dtype));
    }
    RC_ASSERT(limits.strided || is_contiguous(operand.layout));
    RC_ASSERT(limits.expanded || !has_expanded(operand.layout));
    RC_ASSERT(limits.overlapping || !has_sliding(operand.layout));
    RC_ASSERT(limits.negative_indices || operand.fill.negatives == Negatives::kNone);
  }
}

RC_GTEST_PROP(Repair, WhatItLeavesIsLegalAndRoundTripsAsText, ()) {
  Case c = any_case();
  repair(c, Limits{});
  RC_ASSERT(why_illegal(c) == "");
  const ParsedCases parsed = parse_cases(to_text(c));
  RC_ASSERT(parsed.error == "");
  RC_ASSERT(parsed.cases.back() == c);
}

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
           self.slices != Slices::kNear;
  };
  for (const Case& c : minimal_cases("take", Variant::kFunctional, 60, fails)) {
    Operand expected = c.operands[0];
    expected.layout = contiguous_layout(rank(expected.shape));
    expected.layout.offset = 1;
    expected.guard = Guard::kLeft;
    expected.slices = Slices::kNear;
    EXPECT_EQ(c.operands[0], expected) << to_text(c);
  }
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
  const Case c =
      written("gather functional dim=1\nself bool (3, 70000)\nindex int64 (2, 50) fill=random1\n");
  const Case minimal = shrink(c, Limits{}, [](std::span<const Case> candidates) {
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      const Operand& self = candidates[i].operands[0];
      const std::int64_t row = self.shape.empty() ? 1 : self.shape.back();
      if (row * static_cast<std::int64_t>(item_size(self.dtype)) > 48 << 10)
        return static_cast<int>(i);
    }
    return -1;
  });
  EXPECT_LE(total_elements(minimal), (48 << 10) / 8 + 2) << to_text(minimal);
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
