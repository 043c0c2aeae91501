// diagonal_scatter's oracle and rules, by hand. self holds 1, 2, 3, … in row-major order.

#include "rule_cases.h"

namespace indexfuzz {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using List = std::vector<double>;

TEST(DiagonalScatter, ReplacesADiagonal) {
  const auto replaced = [](std::string_view call, std::string_view shape, int count) {
    return oracle_of("diagonal_scatter functional " + std::string(call) + "\nself float32 " +
                     std::string(shape) + "\nsrc float32 (" + std::to_string(count) + ")\n");
  };
  EXPECT_EQ(replaced("offset=0 dim1=0 dim2=1", "(2, 3)", 2), (List{-1, 2, 3, 4, -2, 6}));
  EXPECT_EQ(replaced("offset=1 dim1=0 dim2=1", "(2, 3)", 2), (List{1, -1, 3, 4, 5, -2}));
  EXPECT_EQ(replaced("offset=2 dim1=0 dim2=1", "(2, 3)", 1), (List{1, 2, -1, 4, 5, 6}));
  EXPECT_EQ(replaced("offset=-1 dim1=0 dim2=1", "(3, 2)", 2), (List{1, 2, -1, 4, 5, -2}));
  // Rows and columns exchanged.
  EXPECT_EQ(replaced("offset=-1 dim1=-1 dim2=-2", "(2, 3)", 2), (List{1, -1, 3, 4, 5, -2}));
}

TEST(DiagonalScatter, OutsideTheMatrixADiagonalIsEmpty) {
  for (const char* offset :
       {"3", "-2", "9223372036854775807", "-9223372036854775807", "-9223372036854775808"}) {
    EXPECT_EQ(oracle_of("diagonal_scatter functional offset=" + std::string(offset) +
                        " dim1=0 dim2=1\nself int64 (2, 3)\nsrc int64 (0)\n"),
              (List{1, 2, 3, 4, 5, 6}));
  }
}

TEST(DiagonalScatter, TheDiagonalIsTheLastDimensionOfSrc) {
  // self[i][j][i] = src[j][i].
  EXPECT_EQ(oracle_of("diagonal_scatter functional offset=0 dim1=0 dim2=2\n"
                      "self int64 (2, 3, 2)\nsrc int64 (3, 2)\n"),
            (List{-1, 2, -3, 4, -5, 6, 7, -2, 9, -4, 11, -6}));
}

TEST(DiagonalScatter, TwoDimensionsAreNamed) {
  EXPECT_THAT(error_of("diagonal_scatter functional offset=0 dim1=1 dim2=-1\n"
                       "self int64 (2, 3)\nsrc int64 (2)\n"),
              HasSubstr("dim2 must be -2"));
  EXPECT_THAT(oracle_of("diagonal_scatter functional offset=0 dim1=0 dim2=1\n"
                        "self int64 (0, 3)\nsrc int64 (0)\n"),
              IsEmpty());
}

TEST(DiagonalScatter, MovesBytesUnchanged) {
  EXPECT_THAT(bits_of<std::uint16_t>(oracle_of(
                  "diagonal_scatter functional offset=0 dim1=0 dim2=1\n"
                  "self float16 (1, 2)\nsrc float16 (1)\n",
                  {bytes_of<std::uint16_t>({0, 0x8000}), bytes_of<std::uint16_t>({0x7C01})})),
              ElementsAre(0x7C01, 0x8000));
}

TEST(DiagonalScatter, RulesApplyWhereATenLooks) {
  RuleCases rules("diagonal_scatter");
  constexpr std::string_view kCall = "functional offset=0 dim1=0 dim2=1",
                             kOutForm = "out offset=0 dim1=0 dim2=1";
  constexpr std::string_view kMatrix = "self float32 (2, 3)\nsrc float32 (2)\n",
                             kSmall = "self float32 (1, 1)\nsrc float32 (1)\n";
  constexpr std::string_view kOut = "self float32 (2, 3)\nsrc float32 (2)\nout float32 (2, 3)\n";
  constexpr std::string_view kResized = "self float32 (2, 3)\nsrc float32 (2)\nout float32 (0)\n";
  const Case above = rules.applies("dim_above", kCall, kMatrix);
  EXPECT_EQ(std::max(above.attributes[1], above.attributes[2]), 2);
  const Case below = rules.applies("dim_below", kCall, kMatrix);
  EXPECT_EQ(std::min(below.attributes[1], below.attributes[2]), -3);
  EXPECT_EQ(rules.applies("dims_identical", kCall, kMatrix).attributes[2], 0);
  EXPECT_THAT(rules.applies("src_shape", kCall, kMatrix).operands[1].shape, ElementsAre(3));
  EXPECT_THAT(rules.applies("src_rank", kCall, kMatrix).operands[1].shape, ElementsAre(2, 1));
  EXPECT_THAT(rules.applies("src_rank_lower", kCall, kMatrix).operands[1].shape, IsEmpty());
  EXPECT_THAT(rules.applies("src_broadcasts", kCall, kMatrix).operands[1].shape, ElementsAre(1));
  rules.does_not_apply("src_broadcasts", kCall, kSmall);
  EXPECT_EQ(rules.applies("out_dtype", kOutForm, kOut).operands[2].dtype, Dtype::kDouble);
  rules.does_not_apply("out_dtype", kCall, kMatrix);
  EXPECT_TRUE(
      has_expanded(rules.applies("out_overlaps_itself", kOutForm, kOut).operands[2].layout));
  rules.does_not_apply("out_overlaps_itself", kOutForm, kResized);
  rules.all_tried(
      {"dim_above", "dim_below", "dims_identical", "src_shape", "src_rank", "src_rank_lower"});
}

}  // namespace
}  // namespace indexfuzz
