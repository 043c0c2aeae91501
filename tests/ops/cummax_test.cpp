// cummax's oracle, its equals and rules, by hand.

#include "ordered_cases.h"
#include "rule_cases.h"

namespace indexfuzz {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Positions = std::vector<std::int64_t>;

std::string running(std::string_view result, std::string_view dim, std::string_view self) {
  return call_on("cummax", result, "dim=" + std::string(dim), self);
}

TEST(Cummax, HoldsTheGreatestSoFar) {
  const Positions self{1, 5, 3, 2, 4, 6};
  const auto result = [&](std::string_view which, std::string_view dim) {
    return result_of<std::int64_t>(running(which, dim, "int64 (2, 3)"), self);
  };
  EXPECT_EQ(result("values", "-1"), (Positions{1, 5, 5, 2, 4, 6}));
  EXPECT_EQ(result("indices", "-1"), (Positions{0, 1, 1, 0, 1, 2}));
  EXPECT_EQ(result("values", "0"), (Positions{1, 5, 3, 2, 5, 6}));
  EXPECT_EQ(result("indices", "0"), (Positions{0, 0, 0, 1, 0, 1}));
}

TEST(Cummax, NanStays) {
  const std::vector<float> self{1, kNan, kInfinity, kNan};
  EXPECT_EQ(result_of<std::int64_t>(running("indices", "0", "float32 (4)"), self),
            (Positions{0, 1, 1, 3}));
  EXPECT_THAT(choices_of<std::int64_t>(running("indices", "0", "float32 (4)"), self),
              ElementsAre(ElementsAre(0), ElementsAre(1), ElementsAre(1), ElementsAre(1, 3)));
}

TEST(Cummax, AnyOfEqualsUpToAPlaceMayBeNamed) {
  const std::vector<float> self{-1, 0, -0.0f, 2, 0};
  EXPECT_THAT(choices_of<std::int64_t>(running("indices", "0", "float32 (5)"), self),
              ElementsAre(ElementsAre(0), ElementsAre(1), ElementsAre(1, 2), ElementsAre(3),
                          ElementsAre(3)));
  EXPECT_THAT(
      choices_of<std::uint32_t>(running("values", "0", "float32 (5)"), self),
      ElementsAre(IsEmpty(), ElementsAre(kPlus), ElementsAre(kPlus, kMinus), IsEmpty(), IsEmpty()));
  EXPECT_EQ(agreement_of(running("values", "0", "bool (5)")), Agreement::kExact);
}

TEST(Cummax, OneElementAndNone) {
  EXPECT_THAT(oracle_of(running("indices", "0", "float32 ()")), ElementsAre(0));
  EXPECT_THAT(oracle_of(running("values", "1", "float32 (0, 3)")), IsEmpty());
  EXPECT_EQ(result_shape_of(running("values", "1", "float32 (0, 3)")), (Dims{0, 3}));
}

TEST(Cummax, TakesWhatATenCompares) {
  EXPECT_EQ(error_of(running("values", "0", "bfloat16 (3)")), "");
  for (const char* self : {"uint16 (3)", "complex64 (3)"})
    EXPECT_THAT(error_of(running("values", "0", self)), HasSubstr("dtype")) << self;
}

TEST(Cummax, RulesApplyToEveryShape) {
  RuleCases rules("cummax");
  constexpr std::string_view kCall = ".values functional dim=0", kOutCall = ".values out dim=0";
  constexpr std::string_view kSelf = "self float32 (2, 3)\n", kNothing = "self float32 (0, 3)\n";
  constexpr std::string_view kOut = "self float32 (2, 3)\nout float32 (2, 3)\n",
                             kResized = "self float32 (2, 3)\nout float32 (0)\n";
  for (const std::string_view self : {kSelf, kNothing}) {
    EXPECT_GE(rules.applies("dim_above", kCall, self).attributes[0], 2);
    EXPECT_LE(rules.applies("dim_below", kCall, self).attributes[0], -3);
  }
  EXPECT_NE(rules.applies("out_dtype", kOutCall, kOut).operands[1].dtype, Dtype::kFloat);
  EXPECT_TRUE(
      has_expanded(rules.applies("out_overlaps_itself", kOutCall, kOut).operands[1].layout));
  rules.does_not_apply("out_dtype", kCall, kSelf);
  rules.does_not_apply("out_overlaps_itself", kOutCall, kResized);
  rules.all_tried({"dim_above", "dim_below"});
}

}  // namespace
}  // namespace indexfuzz
