// reflection_pad1d's oracle and rules, by hand. self holds 1, 2, 3, … in row-major order.

#include "padding_cases.h"

namespace indexfuzz {
namespace {

using ::testing::HasSubstr;
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
  expect_an_empty_batch_is_padded("reflection_pad1d", 1);
}

TEST(ReflectionPad1d, RulesApplyWhereATenLooks) {
  RuleCases rules = try_padding_rules("reflection_pad1d", 1);
  EXPECT_EQ(rules.applies("padding_as_long", "functional", "self float32 (1, 2)\n").attributes[0],
            2);
  rules.all_tried({"self_empty", "padding_as_long", "padding_empty", "padding_longer"});
}

}  // namespace
}  // namespace indexfuzz
