// scatter_add's oracle and rules, by hand. self holds 1, 2, 3, …, src -1, -2, -3, … in row-major
// order.

#include "rule_cases.h"

namespace indexfuzz {
namespace {

using ::testing::ElementsAre;
using List = std::vector<double>;

TEST(ScatterAdd, AddsEverySourceElementToTheNamedOne) {
  // index = 0, 1, 2, 0
  EXPECT_EQ(oracle_of("scatter_add functional\nself int32 (3)\nindex int64 (4) fill=ascending\nsrc "
                      "int32 (4)\n"),
            (List{1 - 1 - 4, 0, 0}));
  EXPECT_EQ(
      oracle_of(
          "scatter_add in-place\nself int32 (3)\nindex int64 (4) fill=ascending\nsrc int32 (4)\n"),
      (List{-4, 0, 0}));
}

TEST(ScatterAdd, ReplacesTheCoordinateOfDim) {
  // All of index is 1; src is larger than index and is read at index's coordinates.
  EXPECT_EQ(oracle_of("scatter_add functional\nself int64 (2, 2)\nindex int64 (2, 2) "
                      "fill=last\nsrc int64 (3, 2)\n"),
            (List{1, 2, 3 - 1 - 3, 4 - 2 - 4}));
  EXPECT_EQ(oracle_of("scatter_add functional dim=-1\nself int64 (2, 2)\nindex int32 (2, 1) "
                      "fill=last\nsrc int64 (2, 3)\n"),
            (List{1, 2 - 1, 3, 4 - 4}));
}

TEST(ScatterAdd, ScalarsCountAsOneElement) {
  EXPECT_EQ(
      oracle_of("scatter_add functional\nself int64 ()\nindex int64 () fill=first\nsrc int64 ()\n"),
      (List{0}));
  EXPECT_EQ(
      oracle_of(
          "scatter_add functional\nself int64 ()\nindex int64 (2) fill=first\nsrc int64 (2)\n"),
      (List{-2}));
}

TEST(ScatterAdd, AnEmptyIndexLeavesSelf) {
  EXPECT_EQ(
      oracle_of("scatter_add functional\nself float32 (2) fill=zeros\nindex int64 (0) fill=first\n"
                "src float32 (2) fill=sums1\n"),
      (List{0, 0}));
  EXPECT_EQ(
      oracle_of(
          "scatter_add functional\nself int16 (2)\nindex int64 (0) fill=first\nsrc int16 (0)\n"),
      (List{1, 2}));
}

TEST(ScatterAdd, IntegersWrap) {
  EXPECT_THAT(
      bits_of<std::uint8_t>(oracle_of(
          "scatter_add functional\nself uint8 (2)\nindex int64 (3) fill=first\nsrc uint8 (3)\n",
          {bytes_of<std::uint8_t>({250, 7}), bytes_of<std::int64_t>({0, 0, 1}),
           bytes_of<std::uint8_t>({5, 2, 1})})),
      ElementsAre(1, 8));
  EXPECT_THAT(
      bits_of<std::int16_t>(oracle_of(
          "scatter_add functional\nself int16 (1)\nindex int64 (1) fill=first\nsrc int16 (1)\n",
          {bytes_of<std::int16_t>({32767}), bytes_of<std::int64_t>({0}),
           bytes_of<std::int16_t>({1})})),
      ElementsAre(-32768));
  EXPECT_THAT(
      bits_of<std::uint64_t>(oracle_of(
          "scatter_add functional\nself uint64 (1)\nindex int32 (1) fill=first\nsrc uint64 (1)\n",
          {bytes_of<std::uint64_t>({~0ull}), bytes_of<std::int32_t>({0}),
           bytes_of<std::uint64_t>({3})})),
      ElementsAre(2));
}

TEST(ScatterAdd, BoolsAreOred) {
  EXPECT_THAT(
      bits_of<std::uint8_t>(oracle_of(
          "scatter_add functional\nself bool (3)\nindex int64 (4) fill=first\nsrc bool (4)\n",
          {bytes_of<std::uint8_t>({0, 1, 0}), bytes_of<std::int64_t>({0, 0, 1, 2}),
           bytes_of<std::uint8_t>({1, 1, 1, 0})})),
      ElementsAre(1, 1, 0));
}

TEST(ScatterAdd, AddsInEveryFloatingFormat) {
  // 3 + 5 = 8 and 2 - 2 = 0, by the bits of each format.
  EXPECT_THAT(bits_of<std::uint16_t>(oracle_of(
                  "scatter_add functional\nself float16 (2) fill=sums1\nindex int64 (2) "
                  "fill=first\nsrc float16 (2) fill=sums1\n",
                  {bytes_of<std::uint16_t>({0x4200, 0x4000}), bytes_of<std::int64_t>({0, 1}),
                   bytes_of<std::uint16_t>({0x4500, 0xC000})})),
              ElementsAre(0x4800, 0));
  EXPECT_THAT(bits_of<std::uint16_t>(
                  oracle_of("scatter_add functional\nself bfloat16 (1) fill=sums1\nindex int64 (1) "
                            "fill=first\nsrc bfloat16 (1) fill=sums1\n",
                            {bytes_of<std::uint16_t>({0x4040}), bytes_of<std::int64_t>({0}),
                             bytes_of<std::uint16_t>({0x40A0})})),
              ElementsAre(0x4100));
  EXPECT_THAT(bits_of<std::uint8_t>(
                  oracle_of("scatter_add functional\nself float8_e4m3fn (1) fill=sums1\nindex "
                            "int64 (1) fill=first\nsrc float8_e4m3fn (1) fill=sums1\n",
                            {bytes_of<std::uint8_t>({0x44}), bytes_of<std::int64_t>({0}),
                             bytes_of<std::uint8_t>({0x4A})})),
              ElementsAre(0x50));
  EXPECT_THAT(bits_of<std::uint8_t>(
                  oracle_of("scatter_add functional\nself float8_e5m2 (1) fill=sums1\nindex int64 "
                            "(1) fill=first\nsrc float8_e5m2 (1) fill=sums1\n",
                            {bytes_of<std::uint8_t>({0x42}), bytes_of<std::int64_t>({0}),
                             bytes_of<std::uint8_t>({0x45})})),
              ElementsAre(0x48));
  EXPECT_THAT(
      bits_of<float>(oracle_of("scatter_add functional\nself complex64 (1) fill=sums1\nindex int64 "
                               "(2) fill=first\nsrc complex64 (2) fill=sums1\n",
                               {bytes_of<float>({1, 2}), bytes_of<std::int64_t>({0, 0}),
                                bytes_of<float>({10, 20, 100, -200})})),
      ElementsAre(111, -178));
}

TEST(ScatterAdd, FloatingPointTakesOnlyFillsThatSumExactly) {
  EXPECT_THAT(error_of("scatter_add functional\nself float32 (2)\nindex int64 (2) fill=first\nsrc "
                       "float32 (2) fill=sums1\n"),
              ::testing::HasSubstr("self: it needs fill=sums1"));
}

TEST(ScatterAdd, SumsAreRoundedWhereNoElementIsNamedTwice) {
  const auto error = [](std::string_view index) {
    return error_of("scatter_add functional dim=0\nself bfloat16 (4, 6) fill=sums4\nindex int64 " +
                    std::string(index) + "\nsrc bfloat16 (4, 6) fill=sums4\n");
  };
  // Neighbours along dim 0 are 3 numbers apart, of which each of the 4 rows comes up once; 2 apart
  // they are always two rows.
  EXPECT_EQ(error("(4, 3) fill=ascending"), "");
  EXPECT_EQ(error("(2, 2) fill=distinct1 seed=3"), "");
  EXPECT_EQ(error("(1, 6) fill=random1 seed=3"), "");
  EXPECT_THAT(error("(3, 2) fill=ascending"), ::testing::HasSubstr("self: it needs fill=sums1"));
  EXPECT_THAT(error("(2, 2) fill=random1"), ::testing::HasSubstr("self: it needs fill=sums1"));
}

TEST(ScatterAdd, RulesApplyWhereATenLooks) {
  RuleCases rules("scatter_add");
  constexpr std::string_view kPlain =
      "self int64 (2, 3)\nindex int64 (2, 2) fill=first\nsrc int64 (2, 2)\n";
  constexpr std::string_view kEmpty =
      "self int64 (2, 3)\nindex int64 (0, 2) fill=first\nsrc int64 (2, 2)\n";
  constexpr std::string_view kOut =
      "self int64 (2, 3)\nindex int64 (2, 2) fill=first\nsrc int64 (2, 2)\nout int64 (2, 3)\n";
  EXPECT_EQ(rules.applies("index_below", "in-place", kPlain).operands[1].poke_value, -1);
  rules.does_not_apply("index_below", "functional", kEmpty);
  EXPECT_EQ(rules.applies("index_above", "functional", kPlain).operands[1].poke_value, 2);
  rules.does_not_apply("index_above", "functional", kEmpty);
  EXPECT_EQ(rules.applies("index_rank", "functional", kPlain).operands[1].shape, (Dims{2, 2, 1}));
  rules.does_not_apply("index_rank", "functional", kEmpty);
  EXPECT_EQ(rules.applies("index_dtype", "functional", kPlain).operands[1].dtype, Dtype::kFloat);
  EXPECT_EQ(rules.applies("index_dtype_narrow", "functional", kPlain).operands[1].dtype,
            Dtype::kInt16);
  rules.does_not_apply("index_dtype", "functional", kEmpty);
  rules.does_not_apply("index_dtype_narrow", "functional", kEmpty);
  EXPECT_EQ(rules.applies("dim_above", "functional", kPlain).attributes[0], 2);
  EXPECT_EQ(rules.applies("index_beyond_self", "functional", kPlain).operands[1].shape,
            (Dims{2, 4}));
  rules.does_not_apply("index_beyond_self", "functional",
                       "self int64 (2)\nindex int64 (2) fill=first\nsrc int64 (2)\n");
  EXPECT_EQ(rules.applies("index_beyond_src", "functional", kPlain).operands[1].shape,
            (Dims{3, 2}));
  rules.does_not_apply("index_beyond_src", "functional", kEmpty);
  EXPECT_EQ(rules.applies("src_dtype", "functional", kPlain).operands[2].dtype, Dtype::kInt32);
  rules.does_not_apply("src_dtype", "functional", kEmpty);
  EXPECT_TRUE(
      has_expanded(rules.applies("self_overlaps_itself", "in-place", kPlain).operands[0].layout));
  EXPECT_TRUE(has_expanded(rules.applies("self_overlaps_itself", "out", kOut).operands[3].layout));
  rules.does_not_apply("self_overlaps_itself", "functional", kPlain);
  rules.does_not_apply("self_overlaps_itself", "in-place", kEmpty);
  EXPECT_EQ(rules.applies("self_is_src", "in-place", kPlain).operands[2].shares_memory_with, 0);
  rules.does_not_apply("self_is_src", "functional", kPlain);
  rules.does_not_apply("self_is_src", "in-place", kEmpty);
  EXPECT_EQ(rules.applies("out_dtype", "out", kOut).operands[3].dtype, Dtype::kDouble);
  rules.does_not_apply("out_dtype", "in-place", kPlain);
  EXPECT_EQ(rules.applies("self_empty", "in-place", kPlain).operands[0].shape[0], 0);
  rules.does_not_apply("self_empty", "functional", kEmpty);
  rules.does_not_apply("self_empty", "out", kOut);
  constexpr std::string_view kSquare =
      "self int64 (2, 2)\nindex int64 (2, 2) fill=first\nsrc int64 (2, 2)\nout int64 (2, 2)\n";
  EXPECT_EQ(rules.applies("out_is_src", "out", kSquare).operands[3].shares_memory_with, 2);
  rules.does_not_apply("out_is_src", "in-place", kPlain);
  rules.does_not_apply("out_is_src", "out", kOut);
  EXPECT_EQ(rules.applies("index_is_written", "in-place", kPlain).operands[1].shares_memory_with,
            0);
  EXPECT_EQ(rules.applies("index_is_written", "out", kSquare).operands[3].shares_memory_with, 1);
  rules.does_not_apply("index_is_written", "in-place", kEmpty);
  rules.does_not_apply("index_is_written", "functional", kPlain);
  EXPECT_EQ(rules.applies("dim_below", "out", kOut).attributes[0], -3);
  EXPECT_EQ(rules.applies("index_rank_lower", "in-place", kPlain).operands[1].shape, Dims{2});
  EXPECT_EQ(rules.applies("src_rank", "in-place", kPlain).operands[2].shape, (Dims{2, 2, 1}));
  EXPECT_EQ(rules.applies("src_rank_lower", "in-place", kPlain).operands[2].shape, Dims{2});
  for (const std::string_view rule : {"index_rank_lower", "src_rank", "src_rank_lower"})
    rules.does_not_apply(rule, "in-place", kEmpty);
  rules.all_tried({"dim_above", "dim_below"});
}

TEST(ScatterAdd, NumbersBeyondNumbersAdd) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const std::vector<float> sums = bits_of<float>(
      oracle_of("scatter_add functional\nself float32 (3) fill=sums3\nindex int64 (2) "
                "fill=ascending\nsrc float32 (2) fill=sums1\n",
                {bytes_of<float>({kInfinity, -kInfinity, -0.0f}), bytes_of<std::int64_t>({0, 1}),
                 bytes_of<float>({5, 7})}));
  EXPECT_EQ(sums[0], kInfinity);
  EXPECT_EQ(sums[1], -kInfinity);
  EXPECT_TRUE(sums[2] == 0 && std::signbit(sums[2]));
  // inf + 1, inf - inf, NaN + 1, -0.0, 1 + inf of float16.
  const std::vector<std::uint16_t> halves = bits_of<std::uint16_t>(oracle_of(
      "scatter_add functional\nself float16 (5) fill=sums3\nindex int64 (4) fill=ascending\nsrc "
      "float16 (4) fill=sums3\n",
      {bytes_of<std::uint16_t>({0x7C00, 0x7C00, 0x7E01, 0x3C00, 0x8000}),
       bytes_of<std::int64_t>({0, 1, 2, 3}),
       bytes_of<std::uint16_t>({0x3C00, 0xFC00, 0x3C00, 0x7C00})}));
  EXPECT_EQ(halves, (std::vector<std::uint16_t>{0x7C00, 0x7E00, 0x7E01, 0x7C00, 0x8000}));
  EXPECT_THAT(error_of("scatter_add functional\nself float16 (2) fill=sums2\nindex int64 (2) "
                       "fill=first\nsrc float16 (2) fill=sums1\n"),
              ::testing::HasSubstr("self: it needs fill=sums1"));
}

}  // namespace
}  // namespace indexfuzz
