// roll's oracle and rules, by hand. self holds 1, 2, 3, … in row-major order.

#include "rule_cases.h"

namespace indexfuzz {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using List = std::vector<double>;

TEST(Roll, MovesAlongADimension) {
  EXPECT_EQ(oracle_of("roll.one functional shift=1 dim=0\nself float32 (3, 2)\n"),
            (List{5, 6, 1, 2, 3, 4}));
  EXPECT_EQ(oracle_of("roll.one functional shift=1 dim=-1\nself float32 (2, 3)\n"),
            (List{3, 1, 2, 6, 4, 5}));
  EXPECT_EQ(oracle_of("roll.one functional shift=0 dim=0\nself float32 (2, 2)\n"),
            (List{1, 2, 3, 4}));
}

TEST(Roll, ShiftsMayBeNegativeOrBeyondTheSize) {
  EXPECT_EQ(oracle_of("roll.one functional shift=-1 dim=0\nself int64 (4)\n"), (List{2, 3, 4, 1}));
  EXPECT_EQ(oracle_of("roll.one functional shift=7 dim=0\nself int64 (3)\n"), (List{3, 1, 2}));
  EXPECT_EQ(oracle_of("roll.one functional shift=-7 dim=0\nself int64 (3)\n"), (List{2, 3, 1}));
  // 2^63 - 1 leaves 1 of 3.
  EXPECT_EQ(oracle_of("roll.flat functional shift=9223372036854775807\nself int64 (3)\n"),
            (List{3, 1, 2}));
  // -2^62 is one less than a multiple of 3.
  EXPECT_EQ(oracle_of("roll.flat functional shift=-4611686018427387904\nself int64 (3)\n"),
            (List{2, 3, 1}));
  EXPECT_THAT(error_of("roll.flat functional shift=-4611686018427387905\nself int64 (3)\n"),
              ::testing::HasSubstr("shift must be -4611686018427387904"));
}

TEST(Roll, WithoutDimsItIsFlattened) {
  EXPECT_EQ(oracle_of("roll.flat functional shift=2\nself float32 (2, 3)\n"),
            (List{5, 6, 1, 2, 3, 4}));
  EXPECT_EQ(oracle_of("roll.flat functional shift=2\nself float32 ()\n"), (List{1}));
}

TEST(Roll, RollsOneDimensionAfterTheOther) {
  EXPECT_EQ(oracle_of("roll.two functional first_shift=1 second_shift=-1 first_dim=0 "
                      "second_dim=1\nself int64 (2, 3)\n"),
            (List{5, 6, 4, 2, 3, 1}));
  EXPECT_EQ(oracle_of("roll.two functional first_shift=1 second_shift=1 first_dim=0 "
                      "second_dim=-1\nself int64 (3)\n"),
            (List{2, 3, 1}));
}

TEST(Roll, NothingStaysNothing) {
  EXPECT_THAT(oracle_of("roll.one functional shift=1 dim=0\nself int64 (0, 3)\n"), IsEmpty());
  EXPECT_THAT(oracle_of("roll.flat functional shift=1\nself int64 (2, 0)\n"), IsEmpty());
}

TEST(Roll, MovesBytesUnchanged) {
  EXPECT_THAT(bits_of<std::uint16_t>(oracle_of("roll.flat functional shift=1\nself float16 (2)\n",
                                               {bytes_of<std::uint16_t>({0x7C01, 0x8000})})),
              ElementsAre(0x8000, 0x7C01));
}

TEST(Roll, RulesApplyWhereATenLooks) {
  RuleCases rules("roll");
  constexpr std::string_view kFlat = ".flat functional", kOutForm = ".flat out",
                             kOne = ".one functional dim=-2", kTwo = ".two functional";
  constexpr std::string_view kSelf = "self float32 (2, 3)\n";
  constexpr std::string_view kOut = "self float32 (2, 3)\nout float32 (2, 3)\n";
  constexpr std::string_view kResized = "self float32 (2, 3)\nout float32 (0)\n";
  EXPECT_EQ(rules.applies("dim_above", kOne, kSelf).attributes[1], 2);
  EXPECT_EQ(rules.applies("dim_above", kTwo, kSelf).attributes[2], 2);
  rules.does_not_apply("dim_above", kFlat, kSelf);
  EXPECT_EQ(rules.applies("dim_below", kOne, kSelf).attributes[1], -3);
  rules.does_not_apply("dim_below", kFlat, kSelf);
  EXPECT_EQ(rules.applies("out_dtype", kOutForm, kOut).operands[1].dtype, Dtype::kDouble);
  rules.does_not_apply("out_dtype", kFlat, kSelf);
  EXPECT_TRUE(
      has_expanded(rules.applies("out_overlaps_itself", kOutForm, kOut).operands[1].layout));
  rules.does_not_apply("out_overlaps_itself", kOutForm, kResized);
  rules.all_tried({});
}

}  // namespace
}  // namespace indexfuzz
