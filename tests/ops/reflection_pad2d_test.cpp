// reflection_pad2d's oracle and rules, by hand. self holds 1, 2, 3, … in row-major order.

#include "padding_cases.h"

namespace indexfuzz {
namespace {

using ::testing::HasSubstr;
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
  expect_an_empty_batch_is_padded("reflection_pad2d", 2);
}

TEST(ReflectionPad2d, RulesApplyWhereATenLooks) {
  RuleCases rules = try_padding_rules("reflection_pad2d", 2);
  EXPECT_EQ(
      rules.applies("padding_as_long", "functional", "self float32 (1, 1, 2)\n").attributes[0], 2);
  rules.all_tried({"self_empty", "padding_as_long", "padding_empty", "padding_longer"});
}

}  // namespace
}  // namespace indexfuzz
