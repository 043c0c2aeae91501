// index_select's oracle and rules, by hand. self holds 1, 2, 3, … in row-major order.

#include "rule_cases.h"

namespace indexfuzz {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using List = std::vector<double>;

TEST(IndexSelect, TakesTheNamedSlicesInTheIndexOrder) {
  EXPECT_EQ(
      oracle_of("index_select functional\nself float32 (2, 3)\nindex int64 (2) fill=descending\n"),
      (List{4, 5, 6, 1, 2, 3}));
  EXPECT_EQ(
      oracle_of(
          "index_select functional dim=1\nself float32 (2, 3)\nindex int64 (2) fill=descending\n"),
      (List{3, 2, 6, 5}));
  EXPECT_EQ(
      oracle_of("index_select functional dim=1\nself int16 (2, 2, 2)\nindex int32 (1) fill=last\n"),
      (List{3, 4, 7, 8}));
}

TEST(IndexSelect, RepeatsASliceThatIsNamedTwice) {
  EXPECT_EQ(
      oracle_of("index_select functional\nself float64 (2)\nindex int64 (5) fill=ascending\n"),
      (List{1, 2, 1, 2, 1}));
  EXPECT_EQ(result_shape_of(
                "index_select functional\nself float64 (2)\nindex int64 (5) fill=ascending\n"),
            (Dims{5}));
}

TEST(IndexSelect, CountsANegativeDimFromTheEnd) {
  EXPECT_EQ(
      oracle_of("index_select functional dim=-2\nself float32 (2, 3)\nindex int64 (1) fill=last\n"),
      (List{4, 5, 6}));
  EXPECT_EQ(
      oracle_of("index_select functional dim=-1\nself float32 (2, 3)\nindex int64 (1) fill=last\n"),
      (List{3, 6}));
}

TEST(IndexSelect, AScalarSelfIsOneSlice) {
  constexpr std::string_view kCase =
      "index_select functional dim=-1\nself float32 ()\nindex int64 (1) fill=last\n";
  EXPECT_EQ(oracle_of(kCase), (List{1}));
  EXPECT_EQ(result_shape_of(kCase), Dims{});
}

TEST(IndexSelect, AScalarIndexNamesOneSlice) {
  constexpr std::string_view kCase =
      "index_select functional\nself float32 (3, 2)\nindex int64 () fill=last\n";
  EXPECT_EQ(oracle_of(kCase), (List{5, 6}));
  EXPECT_EQ(result_shape_of(kCase), (Dims{1, 2}));
}

TEST(IndexSelect, NothingComesOfAnEmptyIndexOrAnEmptySlice) {
  EXPECT_EQ(result_shape_of(
                "index_select functional dim=1\nself float32 (2, 3)\nindex int64 (0) fill=first\n"),
            (Dims{2, 0}));
  EXPECT_EQ(
      result_shape_of("index_select functional\nself float32 (2, 0)\nindex int64 (3) fill=first\n"),
      (Dims{3, 0}));
  EXPECT_THAT(
      oracle_of("index_select functional\nself float32 (2, 0)\nindex int64 (3) fill=first\n"),
      IsEmpty());
}

TEST(IndexSelect, MovesTheBytesOfEverySize) {
  constexpr std::uint16_t kSignallingNaN = 0x7C01, kNegativeZero = 0x8000;
  EXPECT_THAT(bits_of<std::uint16_t>(oracle_of(
                  "index_select functional\nself float16 (2)\nindex int32 (3) fill=first\n",
                  {bytes_of<std::uint16_t>({kSignallingNaN, kNegativeZero}),
                   bytes_of<std::int32_t>({1, 0, 1})})),
              ElementsAre(kNegativeZero, kSignallingNaN, kNegativeZero));
  EXPECT_THAT(bits_of<double>(oracle_of(
                  "index_select functional\nself complex128 (2)\nindex int64 (1) fill=first\n",
                  {bytes_of<double>({1, 2, 3, 4}), bytes_of<std::int64_t>({1})})),
              ElementsAre(3, 4));
  EXPECT_THAT(bits_of<std::uint8_t>(
                  oracle_of("index_select functional\nself bool (3)\nindex int64 (2) fill=first\n",
                            {bytes_of<std::uint8_t>({0, 1, 0}), bytes_of<std::int64_t>({1, 2})})),
              ElementsAre(1, 0));
}

TEST(IndexSelect, LayoutsChangeNothing) {
  EXPECT_EQ(
      oracle_of(
          "index_select functional dim=1\nself float32 (2, 3) order=(1, 0) step=(2, 3) offset=4\n"
          "index int64 (2) step=(5) guard=right fill=descending\n"),
      (List{3, 2, 6, 5}));
}

TEST(IndexSelect, RulesApplyWhereATenLooks) {
  RuleCases rules("index_select");
  constexpr std::string_view kPlain = "self float32 (2, 3)\nindex int64 (2) fill=first\n";
  constexpr std::string_view kEmptyIndex = "self float32 (2, 3)\nindex int64 (0) fill=first\n";
  constexpr std::string_view kEmptyResult = "self float32 (2, 0)\nindex int64 (2) fill=first\n";
  constexpr std::string_view kOut =
      "self float32 (2, 3)\nindex int64 (2) fill=first\nout float32 (2, 3)\n";
  EXPECT_EQ(rules.applies("index_below", "functional", kPlain).operands[1].poke_value, -1);
  rules.does_not_apply("index_below", "functional", kEmptyIndex);
  rules.does_not_apply("index_below", "functional", kEmptyResult);
  EXPECT_TRUE(
      rules
          .applies("index_below", "functional",
                   "self float32 (2)\nindex int64 (2) expanded=(0) fill=first repeats=(0)\n")
          .operands[1]
          .poked);
  EXPECT_EQ(rules.applies("index_above", "functional dim=1", kPlain).operands[1].poke_value, 3);
  rules.does_not_apply("index_above", "functional", kEmptyIndex);
  EXPECT_EQ(rules.applies("index_rank", "functional", kEmptyIndex).operands[1].shape, (Dims{0, 1}));
  EXPECT_EQ(rules.applies("index_dtype", "functional", kPlain).operands[1].dtype, Dtype::kFloat);
  EXPECT_EQ(rules.applies("index_dtype_narrow", "functional", kPlain).operands[1].dtype,
            Dtype::kInt16);
  EXPECT_EQ(rules.applies("dim_above", "functional", kPlain).attributes[0], 2);
  EXPECT_EQ(rules.applies("dim_above", "functional", "self float32 ()\nindex int64 () fill=first\n")
                .attributes[0],
            1);
  EXPECT_EQ(rules.applies("out_dtype", "out", kOut).operands[2].dtype, Dtype::kDouble);
  rules.does_not_apply("out_dtype", "functional", kPlain);
  EXPECT_TRUE(has_expanded(rules.applies("out_overlaps_itself", "out", kOut).operands[2].layout));
  rules.does_not_apply("out_overlaps_itself", "functional", kPlain);
  rules.does_not_apply("out_overlaps_itself", "out",
                       "self float32 (1)\nindex int64 (1) fill=first\nout float32 (1)\n");
  EXPECT_EQ(rules.applies("out_is_self", "out", kOut).operands[2].shares_memory_with, 0);
  // One that is resized grows into self, from its beginning or up to its end.
  std::set<std::int16_t> offsets;
  for (int seed = 0; seed < 12; ++seed) {
    const Case grows = rules.applies("out_is_self", "out",
                                     "self float32 (5) fill=hash1 seed=" + std::to_string(seed) +
                                         "\nindex int64 (3) fill=first\nout float32 (7)\n");
    EXPECT_EQ(grows.operands[2].shares_memory_with, 0);
    EXPECT_EQ(grows.operands[2].shape, (Dims{0}));
    offsets.insert(grows.operands[2].layout.offset);
  }
  EXPECT_EQ(offsets, (std::set<std::int16_t>{0, 2}));
  rules.does_not_apply("out_is_self", "out",
                       "self float32 (2)\nindex int64 (3) fill=first\nout float32 (7)\n");
  rules.does_not_apply("out_is_self", "functional", kPlain);
  rules.does_not_apply("out_is_self", "out",
                       "self float32 (1)\nindex int64 (4) fill=first\nout float32 (4)\n");
  EXPECT_EQ(rules
                .applies("scalar_takes_one_index", "functional",
                         "self float32 ()\nindex int64 () fill=first\n")
                .operands[1]
                .shape,
            (Dims{2}));
  rules.does_not_apply("scalar_takes_one_index", "functional", kPlain);
  EXPECT_EQ(rules.applies("self_empty", "functional dim=1", kPlain).operands[0].shape,
            (Dims{2, 0}));
  rules.does_not_apply("self_empty", "functional", kEmptyIndex);
  rules.does_not_apply("self_empty", "functional", kEmptyResult);
  rules.does_not_apply("self_empty", "functional", "self float32 ()\nindex int64 () fill=first\n");
  EXPECT_EQ(rules
                .applies("out_is_index", "out",
                         "self float32 (2)\nindex int64 (2) fill=first\nout float32 (2)\n")
                .operands[2]
                .shares_memory_with,
            1);
  rules.does_not_apply("out_is_index", "functional", kPlain);
  rules.does_not_apply("out_is_index", "out", kOut);
  EXPECT_EQ(rules.applies("dim_below", "functional", kPlain).attributes[0], -3);
  rules.all_tried({"index_rank", "index_dtype", "index_dtype_narrow", "dim_above", "dim_below"});
}

}  // namespace
}  // namespace indexfuzz
