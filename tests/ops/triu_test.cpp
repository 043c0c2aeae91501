// triu's oracle, by hand. self holds 1, 2, 3, … in row-major order. Its rules are tril's.

#include "rule_cases.h"

namespace indexfuzz {
namespace {

using ::testing::ElementsAre;
using List = std::vector<double>;

TEST(Triu, ZerosLieBelowTheDiagonal) {
  EXPECT_EQ(oracle_of("triu functional diagonal=0\nself float32 (3, 3)\n"),
            (List{1, 2, 3, 0, 5, 6, 0, 0, 9}));
  EXPECT_EQ(oracle_of("triu functional diagonal=1\nself float32 (3, 3)\n"),
            (List{0, 2, 3, 0, 0, 6, 0, 0, 0}));
  EXPECT_EQ(oracle_of("triu functional diagonal=-1\nself float32 (3, 3)\n"),
            (List{1, 2, 3, 4, 5, 6, 0, 8, 9}));
}

TEST(Triu, MatricesNeedNotBeSquare) {
  EXPECT_EQ(oracle_of("triu functional diagonal=0\nself int32 (2, 3)\n"), (List{1, 2, 3, 0, 5, 6}));
  EXPECT_EQ(oracle_of("triu functional diagonal=0\nself int32 (2, 3, 1)\n"),
            (List{1, 0, 0, 4, 0, 0}));
}

TEST(Triu, ADiagonalMayLieAnywhere) {
  for (const std::string_view above : {"3", "4294967296", "9223372036854775807"}) {
    EXPECT_EQ(oracle_of("triu functional diagonal=" + std::string(above) + "\nself int8 (2, 3)\n"),
              (List{0, 0, 0, 0, 0, 0}));
  }
  for (const std::string_view below :
       {"-1", "-4294967296", "-9223372036854775807", "-9223372036854775808"}) {
    EXPECT_EQ(oracle_of("triu functional diagonal=" + std::string(below) + "\nself int8 (2, 3)\n"),
              (List{1, 2, 3, 4, 5, 6}));
  }
}

TEST(Triu, KeepsBytesUnchanged) {
  EXPECT_THAT(bits_of<std::uint16_t>(
                  oracle_of("triu functional diagonal=0\nself float16 (2, 2)\n",
                            {bytes_of<std::uint16_t>({0x7C01, 0x8000, 0xFFFF, 0xFC01})})),
              ElementsAre(0x7C01, 0x8000, 0, 0xFC01));
}

}  // namespace
}  // namespace indexfuzz
