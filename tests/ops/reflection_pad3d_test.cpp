// reflection_pad3d's oracle and rules, by hand. self holds 1, 2, 3, … in row-major order.

#include "padding_cases.h"

namespace indexfuzz {
namespace {

using ::testing::HasSubstr;
using List = std::vector<double>;

TEST(ReflectionPad3d, MirrorsSlicesRowsAndColumns) {
  EXPECT_EQ(
      oracle_of("reflection_pad3d functional left=1 right=0 top=0 bottom=1 front=1 back=0\n"
                "self float32 (1, 2, 2, 2)\n"),
      (List{6, 5, 6, 8, 7, 8, 6, 5, 6, 2, 1, 2, 4, 3, 4, 2, 1, 2, 6, 5, 6, 8, 7, 8, 6, 5, 6}));
}

TEST(ReflectionPad3d, EachVolumeHasItsOwnEdges) {
  EXPECT_EQ(oracle_of("reflection_pad3d functional left=0 right=0 top=0 bottom=0 front=0 back=1\n"
                      "self int64 (2, 1, 2, 1, 1)\n"),
            (List{1, 2, 1, 3, 4, 3}));
  EXPECT_THAT(error_of("reflection_pad3d functional left=0 right=0 top=0 bottom=0 front=1 back=0\n"
                       "self int64 (1, 1, 1, 2)\n"),
              HasSubstr("front must be 0"));
}

TEST(ReflectionPad3d, ABatchMayBeEmpty) {
  expect_an_empty_batch_is_padded("reflection_pad3d", 3);
}

TEST(ReflectionPad3d, RulesApplyWhereATenLooks) {
  RuleCases rules = try_padding_rules("reflection_pad3d", 3);
  EXPECT_EQ(
      rules.applies("padding_as_long", "functional", "self float32 (1, 1, 1, 2)\n").attributes[0],
      2);
  rules.all_tried({"self_empty", "padding_as_long", "padding_empty", "padding_longer"});
}

}  // namespace
}  // namespace indexfuzz
