// reflection_pad1d's oracle and rules, by hand. self holds 1, 2, 3, … in row-major order.

#include "rule_cases.h"

namespace indexfuzz {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using List = std::vector<double>;

TEST(ReflectionPad1d, MirrorsBothEnds) {
  EXPECT_EQ(oracle_of("reflection_pad1d functional left=2 right=1\nself float32 (1, 3)\n"),
            (List{3, 2, 1, 2, 3, 2}));
  EXPECT_EQ(oracle_of("reflection_pad1d functional left=0 right=2\nself int64 (2, 3)\n"),
            (List{1, 2, 3, 2, 1, 4, 5, 6, 5, 4}));
}

TEST(ReflectionPad1d, OneElementHasNothingToMirror) {
  EXPECT_EQ(oracle_of("reflection_pad1d functional left=0 right=0\nself float32 (2, 1)\n"),
            (List{1, 2}));
  EXPECT_THAT(error_of("reflection_pad1d functional left=1 right=0\nself float32 (2, 1)\n"),
              HasSubstr("left must be 0"));
}

TEST(ReflectionPad1d, ABatchMayBeEmpty) {
  constexpr std::string_view kCase =
      "reflection_pad1d functional left=1 right=1\nself float32 (0, 2, 3)\n";
  EXPECT_THAT(oracle_of(kCase), IsEmpty());
  EXPECT_EQ(result_shape_of(kCase), (Dims{0, 2, 5}));
}

TEST(ReflectionPad1d, RulesApplyWhereATenLooks) {
  RuleCases rules("reflection_pad1d");
  constexpr std::string_view kCall = "functional left=0 right=0", kOutForm = "out left=0 right=0";
  constexpr std::string_view kSelf = "self float32 (1, 2)\n",
                             kOut = "self float32 (1, 2)\nout float32 (1, 2)\n",
                             kResized = "self float32 (1, 2)\nout float32 (0)\n";
  EXPECT_EQ(rank(rules.applies("rank_above", kCall, kSelf).operands[0].shape), 4);
  rules.does_not_apply("rank_above", kOutForm, kOut);
  EXPECT_EQ(rank(rules.applies("rank_below", kCall, kSelf).operands[0].shape), 1);
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
