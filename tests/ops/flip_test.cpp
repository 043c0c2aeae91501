// flip's oracle and rules, by hand. self holds 1, 2, 3, … in row-major order.

#include "case/dim_set.h"
#include "rule_cases.h"

namespace indexfuzz {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using List = std::vector<double>;

TEST(Flip, ReversesTheNamedDimensions) {
  EXPECT_EQ(oracle_of("flip functional dims=(0)\nself float32 (2, 3)\n"), (List{4, 5, 6, 1, 2, 3}));
  EXPECT_EQ(oracle_of("flip functional dims=(1)\nself float32 (2, 3)\n"), (List{3, 2, 1, 6, 5, 4}));
  EXPECT_EQ(oracle_of("flip functional dims=(0, 1)\nself float32 (2, 3)\n"),
            (List{6, 5, 4, 3, 2, 1}));
  EXPECT_EQ(oracle_of("flip functional dims=()\nself float32 (2, 3)\n"), (List{1, 2, 3, 4, 5, 6}));
}

TEST(Flip, DimensionsMayCountFromTheEnd) {
  EXPECT_EQ(oracle_of("flip functional dims=(-1)\nself int64 (2, 3)\n"), (List{3, 2, 1, 6, 5, 4}));
  EXPECT_EQ(oracle_of("flip functional dims=(-1, 0)\nself int64 (2, 3)\n"),
            (List{6, 5, 4, 3, 2, 1}));
}

TEST(Flip, ScalarsAndNothingStayAsTheyAre) {
  EXPECT_EQ(oracle_of("flip functional dims=()\nself int64 ()\n"), (List{1}));
  EXPECT_THAT(oracle_of("flip functional dims=(0, 1)\nself int64 (0, 3)\n"), IsEmpty());
}

TEST(Flip, MovesBytesUnchanged) {
  EXPECT_THAT(bits_of<std::uint16_t>(oracle_of("flip functional dims=(0)\nself float16 (2)\n",
                                               {bytes_of<std::uint16_t>({0x7C01, 0x8000})})),
              ElementsAre(0x8000, 0x7C01));
}

TEST(Flip, ADimensionIsNamedOnce) {
  EXPECT_THAT(error_of("flip functional dims=(-1, 1)\nself float32 (2, 3)\n"),
              ::testing::HasSubstr("dims must be (1)"));
  EXPECT_THAT(error_of("flip functional dims=(2)\nself float32 (2, 3)\n"),
              ::testing::HasSubstr("dims must be ()"));
}

TEST(Flip, RulesApplyWhereATenLooks) {
  RuleCases rules("flip");
  constexpr std::string_view kNone = "functional dims=()", kOne = "functional dims=(-2)",
                             kOutForm = "out dims=(0)";
  constexpr std::string_view kSelf = "self float32 (2, 3)\n", kScalar = "self float32 ()\n";
  constexpr std::string_view kOut = "self float32 (2, 3)\nout float32 (2, 3)\n";
  constexpr std::string_view kResized = "self float32 (2, 3)\nout float32 (0)\n";
  EXPECT_EQ(dims_of(rules.applies("dim_above", kOne, kSelf).attributes[0]), (Dims{-2, 2}));
  EXPECT_EQ(dims_of(rules.applies("dim_above", kNone, kScalar).attributes[0]), (Dims{1}));
  EXPECT_EQ(dims_of(rules.applies("dim_below", kOne, kSelf).attributes[0]), (Dims{-3, -2}));
  EXPECT_EQ(dims_of(rules.applies("dim_twice", kOne, kSelf).attributes[0]), (Dims{-2, 0}));
  rules.does_not_apply("dim_twice", kNone, kSelf);
  EXPECT_EQ(rules.applies("out_dtype", kOutForm, kOut).operands[1].dtype, Dtype::kDouble);
  rules.does_not_apply("out_dtype", kOne, kSelf);
  EXPECT_TRUE(
      has_expanded(rules.applies("out_overlaps_itself", kOutForm, kOut).operands[1].layout));
  rules.does_not_apply("out_overlaps_itself", kOutForm, kResized);
  rules.all_tried({"dim_above", "dim_below"});
}

}  // namespace
}  // namespace indexfuzz
