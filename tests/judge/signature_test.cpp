// Shrink keys, traits and signatures.

#include "judge/signature.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../written_case.h"

namespace indexfuzz {
namespace {

constexpr std::string_view kPlain =
    "index_select functional\nself float32 (2, 3)\nindex int64 (2) fill=first\n";

Verdict failure(Kind kind, int operand, std::string_view message = "") {
  Verdict verdict;
  verdict.status = Status::kFinding;
  verdict.kind = kind;
  verdict.operand = static_cast<std::int8_t>(operand);
  set_message(verdict, message);
  if (!message.empty()) verdict.error_class = error_class(message);
  return verdict;
}

std::vector<std::string> described(const Case& c) {
  std::vector<std::string> list;
  for (const Trait trait : traits(c)) list.push_back(describe(trait, c));
  return list;
}

TEST(ErrorClass, DoesNotDependOnSizesOrRanks) {
  EXPECT_EQ(error_class("index 5 is out of bounds for dimension 0 with size 3"),
            error_class("index -17 is out of bounds for dimension 2 with size 1024"));
  EXPECT_EQ(error_class("shape mismatch: [2, 3] and [4]"),
            error_class("shape mismatch: [2] and [7, 1, 1]"));
  EXPECT_EQ(error_class("size (2,3)"), error_class("size (4)"));
  EXPECT_EQ(error_class("expand(CUDALongType{[1, 2]}, size=[2])"),
            error_class("expand(CUDAHalfType{[4]}, size=[7])"));
  EXPECT_EQ(error_class("expected scalar type Float but found Char"),
            error_class("expected scalar type Long but found BFloat16"));
  EXPECT_NE(error_class("Int or Long"), error_class("Integer or Long"));
}

TEST(ErrorClass, IsThatOfTheGeneralForm) {
  for (const std::string_view message :
       {"expand(CUDALongType{[1, 2]}, size=[2])", "index -17 is out of bounds (got -1, 3)",
        "expected scalar type Long but found Half", "2.5, -3 and 7,8", "no number"}) {
    const std::string form = general_form(message);
    EXPECT_EQ(general_form(form), form);
    EXPECT_EQ(error_class(form), error_class(message));
  }
  EXPECT_EQ(general_form("with shapes [2], [1, 3], [] and [4], [x], [5], [-"),
            "with shapes [#] and [#], [x]");
  EXPECT_EQ(general_form("expand(CUDALongType{[1, 2]}, size=[2])"), "expand(T{[#]}, size=[#])");
  for (const std::string_view type : {"torch.cuda.LongTensor", "torch.FloatTensor"})
    EXPECT_EQ(general_form("expand(" + std::string(type) + "{[1]}, size=[])"),
              "expand(T{[#]}, size=[])");
  EXPECT_EQ(general_form("torch.Tensor, torch.float"), "torch.Tensor, torch.float");
  EXPECT_EQ(general_form("expected scalar type Long but found Half, -17"),
            "expected scalar type T but found T, #");
  EXPECT_EQ(general_form("non-singleton dimension 1 of a 2-dimensional tensor, [-1, -2]"),
            "non-singleton dimension # of a #-dimensional tensor, [#]");
}

TEST(ErrorClass, DependsOnTheWords) {
  EXPECT_NE(error_class("index 5 is out of bounds"), error_class("dim 5 is out of bounds"));
  EXPECT_NE(error_class("a 1 b"), error_class("a b"));
  EXPECT_NE(error_class("any message"), 0u);
  EXPECT_NE(error_class(""), 0u);
}

TEST(ShrinkKey, DoesNotDependOnSizesLayoutsOrFills) {
  const Verdict small = failure(Kind::kRefusal, -1, "index 5 is out of bounds for size 3");
  const Verdict large = failure(Kind::kRefusal, -1, "index 500 is out of bounds for size 300");
  EXPECT_EQ(shrink_key(written(kPlain), small, "aten:cpu"),
            shrink_key(written("index_select functional dim=1\nself int8 (7, 3, 2) step=(1, 2, 1)\n"
                               "index int32 (9) fill=random1 seed=4\n"),
                       large, "aten:cpu"));
}

TEST(ShrinkKey, TellsFailuresApart) {
  const Case c = written(kPlain);
  const std::uint64_t key = shrink_key(c, failure(Kind::kValue, -1), "aten:cpu");
  EXPECT_NE(key, shrink_key(c, failure(Kind::kValue, -1), "mine::index_select"));
  EXPECT_NE(key, shrink_key(c, failure(Kind::kMetadata, -1), "aten:cpu"));
  EXPECT_NE(key, shrink_key(c, failure(Kind::kValue, 0), "aten:cpu"));
  EXPECT_NE(shrink_key(c, failure(Kind::kInput, 0), "aten:cpu"),
            shrink_key(c, failure(Kind::kInput, 1), "aten:cpu"));
  EXPECT_NE(shrink_key(c, failure(Kind::kRefusal, -1, "a"), "aten:cpu"),
            shrink_key(c, failure(Kind::kRefusal, -1, "b"), "aten:cpu"));
  Verdict crash = failure(Kind::kCrash, -1);
  crash.signal = 11;
  EXPECT_NE(shrink_key(c, crash, "aten:cpu"), shrink_key(c, failure(Kind::kCrash, -1), "aten:cpu"));
  Case out = written(
      "index_select out\nself float32 (2, 3)\nindex int64 (2) fill=first\nout float32 (2, 3)\n");
  EXPECT_NE(key, shrink_key(out, failure(Kind::kValue, -1), "aten:cpu"));
  Case illegal = c;
  illegal.breaks = 1;
  EXPECT_NE(key, shrink_key(illegal, failure(Kind::kValue, -1), "aten:cpu"));
}

TEST(ShrinkKey, AllTensorsOfAListAreOneRole) {
  const Case c = written(
      "index_put functional\nself float32 (2, 2)\nvalues float32 ()\n"
      "indices int64 (1) fill=first\nindices int64 (1) fill=first\n");
  EXPECT_EQ(shrink_key(c, failure(Kind::kInput, 2), "x"),
            shrink_key(c, failure(Kind::kInput, 3), "x"));
  EXPECT_NE(shrink_key(c, failure(Kind::kInput, 2), "x"),
            shrink_key(c, failure(Kind::kInput, 1), "x"));
}

TEST(Traits, ThePlainestCaseHasNone) {
  EXPECT_TRUE(traits(written(kPlain)).empty());
}

TEST(Traits, EachIsNamed) {
  EXPECT_THAT(
      described(written("index_select functional dim=-1\n"
                        "self float16 (2, 3) order=(1, 0) step=(2, 1) after=(0, 1) "
                        "offset=2 guard=right fill=hash1\n"
                        "index int32 (2) expanded=(0) fill=last repeats=(0)\n")),
      ::testing::UnorderedElementsAre(
          "self is permuted", "self is strided", "self is a slice", "self has a storage offset",
          "self holds values of any size", "self is float16", "index is int32", "index is expanded",
          "index repeats its values", "index names more than position 0", "dim < 0"));
  EXPECT_THAT(
      described(written(
          "index_put out accumulate=true\nself int64 (2, 3, 0)\nvalues int64 ()\n"
          "indices none\nindices int64 (1) fill=first negatives=all\nout int64 (2, 3, 0)\n")),
      ::testing::UnorderedElementsAre("self is empty", "self is int64", "values is 0-dimensional",
                                      "values is int64", "indices is None", "accumulate",
                                      "indices holds negative indices", "several index tensors",
                                      "out is empty", "out is int64"));
  EXPECT_THAT(
      described(written(
          "index_select out\nself float32 (2)\nindex int64 (1) fill=first\nout float32 (0)\n")),
      ::testing::UnorderedElementsAre("out is resized"));
  EXPECT_THAT(
      described(written(
          "index_select out\nself float32 (2)\nindex int64 (1) fill=first\nout float32 (1, 2)\n")),
      ::testing::UnorderedElementsAre("out is resized"));
  EXPECT_THAT(
      described(
          written("nonzero functional\nself float16 (2) fill=mask_front seed=3 popcount=1\n")),
      ::testing::UnorderedElementsAre("self holds numbers other than 0 and 1", "self is float16"));
  EXPECT_TRUE(
      traits(written("nonzero functional\nself bool (2) fill=mask_front seed=3 popcount=1\n"))
          .empty());
}

TEST(Traits, ARowOfATableIsOneUnlessThereIsNone) {
  const std::string operands =
      "\nindices int64 (1) fill=first\ngrad_output float32 (1, 1) fill=sums1\n";
  const std::string call = "embedding_dense_backward functional num_weights=2 padding_idx=";
  EXPECT_TRUE(traits(written(call + "-1" + operands)).empty());
  for (const char* row : {"0", "1"}) {
    EXPECT_THAT(described(written(call + row + operands)),
                ::testing::ElementsAre("padding_idx names a row"));
  }
}

TEST(Traits, APlaceIsGivenOrCountedFromTheEnd) {
  const auto traits_of = [](const std::string& places) {
    return described(written("slice_scatter functional step=1 " + places +
                             "\nself float32 (2)\nsrc float32 (2)\n"));
  };
  EXPECT_THAT(traits_of("start=none end=none"), ::testing::IsEmpty());
  EXPECT_THAT(traits_of("start=0 end=none"), ::testing::ElementsAre("start is given"));
  EXPECT_THAT(traits_of("start=-2 end=none"), ::testing::ElementsAre("start < 0"));
}

TEST(Traits, OfSeveralWordsEachIsNamedAndResetToAnother) {
  const auto with = [](const std::string& reduce) {
    return written("index_reduce functional reduce=" + reduce +
                   "\nself float32 (1) fill=products1\nindex int64 (1) fill=first\n"
                   "source float32 (1) fill=products1\n");
  };
  for (const auto& [word, another] : {std::pair("prod", "mean"), std::pair("amax", "prod")}) {
    const Case c = with(word);
    const TraitSet all = traits(c);
    EXPECT_THAT(described(c), ::testing::Contains(std::string("reduce is ") + word));
    EXPECT_THAT(described(reset(c, all.back())),
                ::testing::Contains(std::string("reduce is ") + another));
  }
  // There is one mode for weighted sums.
  EXPECT_THAT(described(written("embedding_bag.weighted functional mode=sum\n"
                                "indices int64 (1) fill=first\noffsets int64 (1) fill=offsets1\n"
                                "weight float32 (1, 1) fill=sums1\n"
                                "per_sample_weights float32 (1) fill=ones\n")),
              ::testing::Not(::testing::Contains(::testing::HasSubstr("mode"))));
}

TEST(Traits, TellOfElementsOrOfHowTheyLie) {
  const Case c = written(
      "index_select functional dim=1\nself int8 (2, 3) step=(1, 2) fill=special1\nindex int32 (9) "
      "fill=random1\n");
  std::vector<std::string> elements;
  for (const Trait trait : traits(c)) {
    if (tells_of_elements(trait)) elements.push_back(describe(trait, c));
  }
  EXPECT_THAT(elements,
              ::testing::ElementsAre("self holds special values", "self is int8",
                                     "index names more than position 0", "index is int32"));
}

TEST(Traits, ResettingAnyOneTakesItAway) {
  // An order, a fill or a dtype is one trait of an operand: its reset is not another one.
  const std::vector<Target> targets = all_targets();
  int resets = 0;
  for (std::uint64_t i = 0; i < 2000; ++i) {
    Case c;
    draw_case(11, 0, i, targets, {}, c);
    for (const Trait trait : traits(c)) {
      const TraitSet left = traits(reset(c, trait));
      const bool none_becomes_a_tensor = describe(trait, c).ends_with(" is None");
      EXPECT_FALSE(includes(left, TraitSet{trait})) << describe(trait, c) << " in\n" << to_text(c);
      if (!none_becomes_a_tensor) ++resets;
    }
  }
  EXPECT_GT(resets, 4000);
}

TEST(Traits, ResettingOneOfAListLeavesTheOthers) {
  const Case c = written(
      "index.Tensor functional\nself float32 (1, 1, 1)\nindices none\nindices int64 () fill=first\n"
      "indices int64 (2) fill=first\n");
  for (const Trait trait : traits(c)) {
    if (describe(trait, c) != "indices is 0-dimensional") continue;
    const Case plain = reset(c, trait);
    EXPECT_FALSE(plain.operands[1].present);
    EXPECT_EQ(plain.operands[2].shape, Dims{1});
    EXPECT_EQ(plain.operands[3].shape, Dims{2});
    return;
  }
  FAIL() << "it has no such trait";
}

TEST(Traits, AreSortedAndIncludeThemselves) {
  const std::vector<Target> targets = all_targets();
  for (std::uint64_t i = 0; i < 2000; ++i) {
    Case c;
    draw_case(12, 0, i, targets, {}, c);
    const TraitSet all = traits(c);
    EXPECT_TRUE(std::ranges::is_sorted(all));
    EXPECT_TRUE(includes(all, all));
    EXPECT_TRUE(includes(all, {}));
    if (all.empty()) continue;
    TraitSet fewer = all;
    fewer.erase(fewer.begin());
    EXPECT_TRUE(includes(all, fewer));
    EXPECT_FALSE(includes(fewer, all));
  }
}

TEST(Signature, IsReadByAPersonAndNamedByItsHash) {
  const Case c = written(
      "index_select out dim=1\nself float32 (1, 2)\nindex int64 (1) fill=last\nout float32 (1, "
      "1)\n");
  const Signature full = signature(c, failure(Kind::kValue, 2), "mine::f", traits(c));
  EXPECT_EQ(
      full.text,
      "index_select (out) on mine::f: value, out; when index names more than position 0, dim > 0");
  EXPECT_EQ(full.id, "be2964f389c9");  // frozen: folders, ledgers and reports name findings by it
  EXPECT_EQ(full.id, signature(c, failure(Kind::kValue, 2), "mine::f", traits(c)).id);
  EXPECT_NE(full.id, signature(c, failure(Kind::kValue, 2), "mine::f", {}).id);
  const Signature behind = signature(c, failure(Kind::kValue, 2), "mine::f", traits(c), 3);
  EXPECT_EQ(behind.text, full.text + "; after 3 other calls");
  EXPECT_NE(behind.id, full.id);
  EXPECT_EQ(signature(c, failure(Kind::kValue, 2), "mine::f", traits(c), 1).text,
            full.text + "; after another call");
  EXPECT_NE(full.id, signature(c, failure(Kind::kValue, 2), "mine::g", traits(c)).id);
}

TEST(Signature, SaysTheRuleTheSignalAndTheMessage) {
  Case c = written(
      "index_select functional breaks=dim_above\nself float32 (1)\nindex int64 (1) fill=first\n");
  Verdict verdict = failure(Kind::kAssert, -1, "x failed");
  verdict.signal = 6;
  EXPECT_EQ(signature(c, verdict, "aten:cpu", {}).text,
            "index_select on aten:cpu: assert, breaks dim_above, signal 6, \"x failed\"");
}

TEST(Kinds, NamesRoundTrip) {
  for (int i = 0; i <= static_cast<int>(Kind::kGradient); ++i) {
    EXPECT_EQ(kind_from_name(name(static_cast<Kind>(i))), static_cast<Kind>(i));
  }
  EXPECT_EQ(kind_from_name("wrong"), std::nullopt);
}

}  // namespace
}  // namespace indexfuzz
