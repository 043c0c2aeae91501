// topk's oracle, its equals and rules, by hand.

#include "ordered_cases.h"
#include "rule_cases.h"

namespace indexfuzz {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Positions = std::vector<std::int64_t>;

std::string top(std::string_view result, std::string_view attributes, std::string_view self) {
  return call_on("topk", result, attributes, self);
}

TEST(Topk, TakesTheGreatestOrLeastOfEachSlice) {
  const Positions self{3, 1, 2, 4, 6, 5};
  const auto result = [&](std::string_view which, std::string_view attributes) {
    return result_of<std::int64_t>(top(which, attributes, "int64 (2, 3)"), self);
  };
  EXPECT_EQ(result("values", "dim=1 k=2 largest=true"), (Positions{3, 2, 6, 5}));
  EXPECT_EQ(result("indices", "dim=1 k=2 largest=true"), (Positions{0, 2, 1, 2}));
  EXPECT_EQ(result("values", "dim=0 k=1 largest=false"), (Positions{3, 1, 2}));
  EXPECT_EQ(result("indices", "dim=0 k=1 largest=false"), (Positions{0, 0, 0}));
  EXPECT_EQ(result_shape_of(top("indices", "dim=1 k=2 largest=true", "int64 (2, 3)")),
            (Dims{2, 2}));
}

TEST(Topk, NanIsGreatest) {
  const std::vector<float> self{1, kNan, -kInfinity, kInfinity};
  const auto positions = [&](std::string_view attributes) {
    return result_of<std::int64_t>(top("indices", attributes, "float32 (4)"), self);
  };
  EXPECT_EQ(positions("dim=0 k=2 largest=true"), (Positions{1, 3}));
  EXPECT_EQ(positions("dim=0 k=3 largest=false"), (Positions{2, 0, 3}));
}

TEST(Topk, AnyOfEqualsMayBeTaken) {
  // The zero that is not taken is as good as the one that is.
  const std::vector<float> self{0, 5, -0.0f, -1, 5};
  EXPECT_THAT(
      choices_of<std::int64_t>(top("indices", "dim=0 k=3 largest=true", "float32 (5)"), self),
      ElementsAre(ElementsAre(1, 4), ElementsAre(1, 4), ElementsAre(0, 2)));
  EXPECT_THAT(
      choices_of<std::uint32_t>(top("values", "dim=0 k=3 largest=true", "float32 (5)"), self),
      ElementsAre(IsEmpty(), IsEmpty(), ElementsAre(kPlus, kMinus)));
  EXPECT_EQ(agreement_of(top("values", "dim=0 k=3 largest=true", "int16 (5)")), Agreement::kExact);
}

TEST(Topk, KIsAtMostTheSizeOfASlice) {
  const auto error_with = [](std::string_view k, std::string_view self) {
    return error_of(top("values", "dim=0 k=" + std::string(k) + " largest=true", self));
  };
  EXPECT_EQ(error_with("0", "float32 (4)"), "");
  EXPECT_EQ(error_with("4", "float32 (4)"), "");
  EXPECT_THAT(error_with("5", "float32 (4)"), HasSubstr("k must be 0"));
  EXPECT_THAT(error_with("1", "float32 (0, 4)"), HasSubstr("k must be 0"));
  EXPECT_EQ(error_with("1", "float32 ()"), "");
  EXPECT_THAT(error_with("0", "float32 ()"), HasSubstr("k must be 1"));
  EXPECT_THAT(error_with("1", "bool (4)"), HasSubstr("dtype"));
}

TEST(Topk, OneElementAndNone) {
  const std::string one = top("indices", "dim=-1 k=1 largest=true", "float32 ()"),
                    none = top("indices", "dim=1 k=0 largest=true", "float32 (2, 3)");
  EXPECT_THAT(oracle_of(one), ElementsAre(0));
  EXPECT_EQ(result_shape_of(one), Dims{});
  EXPECT_THAT(oracle_of(none), IsEmpty());
  EXPECT_EQ(result_shape_of(none), (Dims{2, 0}));
}

TEST(Topk, RulesApplyToEveryShape) {
  RuleCases rules("topk");
  constexpr std::string_view kCall = ".values functional dim=0 k=1 largest=true",
                             kOutCall = ".values out dim=0 k=2 largest=true";
  constexpr std::string_view kSelf = "self float32 (2, 3)\n", kNumber = "self float32 ()\n";
  constexpr std::string_view kOut = "self float32 (2, 3)\nout float32 (2, 3)\n",
                             kResized = "self float32 (2, 3)\nout float32 (0)\n";
  EXPECT_GE(rules.applies("dim_above", kCall, kSelf).attributes[0], 2);
  EXPECT_LE(rules.applies("dim_below", kCall, kSelf).attributes[0], -3);
  EXPECT_EQ(rules.applies("k_above", kCall, kSelf).attributes[1], 3);
  EXPECT_EQ(rules.applies("k_above", kCall, kNumber).attributes[1], 2);
  EXPECT_EQ(rules.applies("k_below", kCall, kSelf).attributes[1], -1);
  EXPECT_NE(rules.applies("out_dtype", kOutCall, kOut).operands[1].dtype, Dtype::kFloat);
  EXPECT_TRUE(
      has_expanded(rules.applies("out_overlaps_itself", kOutCall, kOut).operands[1].layout));
  EXPECT_EQ(rules.applies("self_complex", kCall, kSelf).operands[0].dtype, Dtype::kComplexFloat);
  rules.does_not_apply("k_above", kOutCall, kOut);
  rules.does_not_apply("k_below", kOutCall, kOut);
  rules.does_not_apply("out_dtype", kCall, kSelf);
  rules.does_not_apply("out_overlaps_itself", kOutCall, kResized);
  rules.does_not_apply("self_complex", kCall, kNumber);
  rules.all_tried({"dim_above", "dim_below"});
}

}  // namespace
}  // namespace indexfuzz
