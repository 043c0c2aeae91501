// tril's oracle and rules, by hand. self holds 1, 2, 3, … in row-major order.

#include "rule_cases.h"

namespace indexfuzz {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using List = std::vector<double>;

TEST(Tril, ZerosLieAboveTheDiagonal) {
  EXPECT_EQ(oracle_of("tril functional diagonal=0\nself float32 (3, 3)\n"),
            (List{1, 0, 0, 4, 5, 0, 7, 8, 9}));
  EXPECT_EQ(oracle_of("tril functional diagonal=1\nself float32 (3, 3)\n"),
            (List{1, 2, 0, 4, 5, 6, 7, 8, 9}));
  EXPECT_EQ(oracle_of("tril functional diagonal=-1\nself float32 (3, 3)\n"),
            (List{0, 0, 0, 4, 0, 0, 7, 8, 0}));
}

TEST(Tril, MatricesNeedNotBeSquare) {
  EXPECT_EQ(oracle_of("tril functional diagonal=0\nself int32 (2, 3)\n"), (List{1, 0, 0, 4, 5, 0}));
  EXPECT_EQ(oracle_of("tril functional diagonal=0\nself int32 (3, 2)\n"), (List{1, 0, 3, 4, 5, 6}));
  EXPECT_THAT(oracle_of("tril functional diagonal=0\nself int32 (0, 2)\n"), IsEmpty());
}

TEST(Tril, EachMatrixOfABatchHasItsOwnDiagonal) {
  EXPECT_EQ(oracle_of("tril functional diagonal=0\nself int64 (2, 2, 2)\n"),
            (List{1, 0, 3, 4, 5, 0, 7, 8}));
}

TEST(Tril, ADiagonalMayLieAnywhere) {
  for (const std::string_view above : {"2", "2147483648", "9223372036854775807"}) {
    EXPECT_EQ(oracle_of("tril functional diagonal=" + std::string(above) + "\nself int8 (2, 3)\n"),
              (List{1, 2, 3, 4, 5, 6}));
  }
  for (const std::string_view below :
       {"-2", "-4294967296", "-9223372036854775807", "-9223372036854775808"}) {
    EXPECT_EQ(oracle_of("tril functional diagonal=" + std::string(below) + "\nself int8 (2, 3)\n"),
              (List{0, 0, 0, 0, 0, 0}));
  }
}

TEST(Tril, ZerosArePositiveWhateverTheyReplace) {
  EXPECT_THAT(
      bits_of<std::uint16_t>(oracle_of("tril functional diagonal=0\nself float16 (1, 3)\n",
                                       {bytes_of<std::uint16_t>({0x8000, 0x8000, 0x7E00})})),
      ElementsAre(0x8000, 0, 0));
}

TEST(Tril, SelfIsAtLeastAMatrix) {
  EXPECT_THAT(error_of("tril functional diagonal=0\nself float32 (3)\n"),
              ::testing::HasSubstr("self: its shape must be (1, 3)"));
}

TEST(Tril, RulesApplyWhereATenLooks) {
  RuleCases rules("tril");
  constexpr std::string_view kPlain = "self float32 (2, 3)\n";
  constexpr std::string_view kEmpty = "self float32 (0, 3)\n";
  constexpr std::string_view kOut = "self float32 (2, 3)\nout float32 (2, 3)\n";
  constexpr std::string_view kResized = "self float32 (2, 3)\nout float32 (0)\n";
  EXPECT_EQ(rules.applies("self_rank", "functional", "self float32 (4, 2, 3)\n").operands[0].shape,
            (Dims{4}));
  EXPECT_EQ(rules.applies("self_rank", "in-place", "self int8 (2, 3) fill=hash1 seed=6\n")
                .operands[0]
                .shape,
            Dims{});
  EXPECT_EQ(rules.applies("out_dtype", "out", kResized).operands[1].dtype, Dtype::kDouble);
  rules.does_not_apply("out_dtype", "functional", kPlain);
  EXPECT_TRUE(
      has_expanded(rules.applies("written_overlaps_itself", "out", kOut).operands[1].layout));
  EXPECT_TRUE(has_expanded(
      rules.applies("written_overlaps_itself", "in-place", kPlain).operands[0].layout));
  rules.does_not_apply("written_overlaps_itself", "in-place", kEmpty);
  rules.does_not_apply("written_overlaps_itself", "out", kResized);
  rules.does_not_apply("written_overlaps_itself", "functional", kPlain);
  rules.all_tried({"self_rank"});
}

}  // namespace
}  // namespace indexfuzz
