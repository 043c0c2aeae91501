// reflection_pad2d's oracle and rules, by hand. self holds 1, 2, 3, … in row-major order.

#include "rule_cases.h"

namespace indexfuzz {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using List = std::vector<double>;

TEST(ReflectionPad2d, MirrorsAllFourEdges) {
  EXPECT_EQ(
      oracle_of(
          "reflection_pad2d functional left=1 right=0 top=1 bottom=0\nself float32 (1, 2, 2)\n"),
      (List{4, 3, 4, 2, 1, 2, 4, 3, 4}));
  EXPECT_EQ(
      oracle_of(
          "reflection_pad2d functional left=0 right=1 top=0 bottom=1\nself float32 (1, 2, 2)\n"),
      (List{1, 2, 1, 3, 4, 3, 1, 2, 1}));
}

TEST(ReflectionPad2d, EachPlaneHasItsOwnEdges) {
  EXPECT_EQ(
      oracle_of(
          "reflection_pad2d functional left=1 right=0 top=0 bottom=0\nself int64 (2, 1, 1, 2)\n"),
      (List{2, 1, 2, 4, 3, 4}));
  EXPECT_THAT(
      error_of("reflection_pad2d functional left=0 right=0 top=1 bottom=0\nself int64 (1, 1, 2)\n"),
      HasSubstr("top must be 0"));
}

TEST(ReflectionPad2d, ABatchMayBeEmpty) {
  constexpr std::string_view kCase =
      "reflection_pad2d functional left=1 right=1 top=1 bottom=1\nself float32 (0, 2, 3, 3)\n";
  EXPECT_THAT(oracle_of(kCase), IsEmpty());
  EXPECT_EQ(result_shape_of(kCase), (Dims{0, 2, 5, 5}));
}

TEST(ReflectionPad2d, RulesApplyWhereATenLooks) {
  RuleCases rules("reflection_pad2d");
  constexpr std::string_view kCall = "functional left=0 right=0 top=0 bottom=0",
                             kOutForm = "out left=0 right=0 top=0 bottom=0";
  constexpr std::string_view kSelf = "self float32 (1, 1, 2)\n",
                             kOut = "self float32 (1, 1, 2)\nout float32 (1, 1, 2)\n",
                             kResized = "self float32 (1, 1, 2)\nout float32 (0)\n";
  EXPECT_EQ(rank(rules.applies("rank_above", kCall, kSelf).operands[0].shape), 5);
  rules.does_not_apply("rank_above", kOutForm, kOut);
  EXPECT_EQ(rank(rules.applies("rank_below", kCall, kSelf).operands[0].shape), 2);
  rules.does_not_apply("rank_below", kOutForm, kOut);
  EXPECT_EQ(rules.applies("self_empty", kCall, kSelf).operands[0].shape.back(), 0);
  EXPECT_EQ(rules.applies("out_dtype", kOutForm, kOut).operands[1].dtype, Dtype::kDouble);
  rules.does_not_apply("out_dtype", kCall, kSelf);
  EXPECT_TRUE(
      has_expanded(rules.applies("out_overlaps_itself", kOutForm, kOut).operands[1].layout));
  rules.does_not_apply("out_overlaps_itself", kOutForm, kResized);
  EXPECT_EQ(rules.applies("padding_as_long", kCall, kSelf).attributes[0], 2);
  rules.all_tried({"self_empty", "padding_as_long"});
}

}  // namespace
}  // namespace indexfuzz
