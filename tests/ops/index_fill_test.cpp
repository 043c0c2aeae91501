// index_fill's oracle and rules, by hand. self holds 1, 2, 3, … in row-major order, and a value
// filled by index is -1.

#include "rule_cases.h"

namespace indexfuzz {
namespace {

using ::testing::ElementsAre;
using List = std::vector<double>;

TEST(IndexFill, FillsEverySliceThatIsNamed) {
  // index = 0, 1
  EXPECT_EQ(oracle_of("index_fill.int_Scalar functional\nself float32 (3, 2)\nindex int64 (2) "
                      "fill=ascending\nvalue float64 ()\n"),
            (List{-1, -1, -1, -1, 5, 6}));
  EXPECT_EQ(oracle_of("index_fill.int_Tensor in-place dim=-1\nself int32 (2, 3)\nindex int64 (2) "
                      "fill=last\nvalue int16 ()\n"),
            (List{1, 2, -1, 4, 5, -1}));
  EXPECT_EQ(oracle_of("index_fill.int_Scalar functional dim=1\nself int64 (2, 2, 2)\nindex int64 "
                      "() fill=last\nvalue int64 ()\n"),
            (List{1, 2, -1, -1, 5, 6, -1, -1}));
}

TEST(IndexFill, NegativeIndicesCountFromTheEnd) {
  EXPECT_THAT(bits_of<std::int32_t>(oracle_of(
                  "index_fill.int_Scalar functional\nself int32 (4)\nindex int64 (2) fill=first\n"
                  "value int64 ()\n",
                  {bytes_of<std::int32_t>({1, 2, 3, 4}), bytes_of<std::int64_t>({-4, -1}),
                   bytes_of<std::int64_t>({9})})),
              ElementsAre(9, 2, 3, 9));
}

TEST(IndexFill, AScalarSelfCountsAsOneSlice) {
  EXPECT_EQ(oracle_of("index_fill.int_Scalar functional\nself float32 ()\nindex int64 (3) "
                      "fill=first\nvalue bool () fill=ones\n"),
            (List{1}));
  EXPECT_EQ(oracle_of("index_fill.int_Tensor functional\nself float32 ()\nindex int64 () "
                      "fill=first\nvalue float32 () fill=zeros\n"),
            (List{0}));
  EXPECT_EQ(oracle_of("index_fill.int_Scalar functional\nself float32 () fill=ones\nindex int64 "
                      "(0) fill=first\nvalue int64 ()\n"),
            (List{1}));
}

TEST(IndexFill, AnEmptyIndexLeavesSelf) {
  EXPECT_EQ(oracle_of("index_fill.int_Tensor functional\nself int16 (2)\nindex int64 (0) "
                      "fill=first\nvalue int16 ()\n"),
            (List{1, 2}));
  EXPECT_EQ(result_shape_of("index_fill.int_Scalar functional\nself float32 (2, 0)\nindex int64 "
                            "(2) fill=first\nvalue int64 ()\n"),
            (Dims{2, 0}));
}

TEST(IndexFill, ConvertsTheValueToSelfsDtype) {
  EXPECT_THAT(bits_of<std::uint16_t>(
                  oracle_of("index_fill.int_Scalar functional\nself bfloat16 (2)\nindex int64 (1) "
                            "fill=first\nvalue float64 ()\n",
                            {bytes_of<std::uint16_t>({0x4040, 0x4080}), bytes_of<std::int64_t>({0}),
                             bytes_of<double>({-0.0})})),
              ElementsAre(0x8000, 0x4080));
  EXPECT_THAT(
      bits_of<float>(oracle_of("index_fill.int_Tensor functional\nself complex64 (2)\nindex int64 "
                               "(1) fill=last\nvalue int8 ()\n",
                               {bytes_of<float>({1, 2, 3, 4}), bytes_of<std::int64_t>({1}),
                                bytes_of<std::int8_t>({-7})})),
      ElementsAre(1, 2, -7, 0));
  EXPECT_THAT(
      bits_of<std::int16_t>(oracle_of(
          "index_fill.int_Scalar functional\nself int16 (2)\nindex int64 (1) "
          "fill=last\nvalue float64 ()\n",
          {bytes_of<std::int16_t>({1, 2}), bytes_of<std::int64_t>({1}), bytes_of<double>({-1.5})})),
      ElementsAre(1, -1));
  EXPECT_THAT(
      bits_of<std::uint8_t>(oracle_of(
          "index_fill.int_Tensor functional\nself bool (2)\nindex int64 (1) "
          "fill=last\nvalue float32 ()\n",
          {bytes_of<std::uint8_t>({0, 0}), bytes_of<std::int64_t>({1}), bytes_of<float>({0.5f})})),
      ElementsAre(0, 1));
  // A number may be complex where self is.
  EXPECT_THAT(error_of("index_fill.int_Scalar functional\nself float32 (2)\nindex int64 (1) "
                       "fill=first\nvalue complex128 ()\n"),
              ::testing::HasSubstr("value: its dtype must be"));
}

TEST(IndexFill, TakesAnIndexOfInt64) {
  EXPECT_THAT(error_of("index_fill.int_Scalar functional\nself float32 (2)\nindex int32 (1) "
                       "fill=first\nvalue int64 ()\n"),
              ::testing::HasSubstr("index: its dtype must be int64"));
}

TEST(IndexFill, RulesApplyWhereATenLooks) {
  RuleCases rules("index_fill");
  constexpr std::string_view kNumber = ".int_Scalar functional", kTensor = ".int_Tensor functional";
  constexpr std::string_view kPlain =
      "self int64 (2, 3)\nindex int64 (2) fill=first\nvalue int64 ()\n";
  constexpr std::string_view kEmpty =
      "self int64 (2, 3)\nindex int64 (0) fill=first\nvalue int64 ()\n";
  constexpr std::string_view kNoElements =
      "self int64 (2, 0)\nindex int64 (2) fill=first\nvalue int64 ()\n";
  constexpr std::string_view kFloat =
      "self float32 (2, 3)\nindex int64 (2) fill=first\nvalue int64 ()\n";
  constexpr std::string_view kOut =
      "self int64 (2, 3)\nindex int64 (2) fill=first\nvalue int64 ()\nout int64 (2, 3)\n";
  EXPECT_EQ(
      rules.applies("index_below", ".int_Scalar functional dim=1", kPlain).operands[1].poke_value,
      -4);
  rules.does_not_apply("index_below", kNumber, kEmpty);
  rules.does_not_apply("index_below", kNumber, kNoElements);
  EXPECT_EQ(rules.applies("index_above", kTensor, kPlain).operands[1].poke_value, 2);
  rules.does_not_apply("index_above", kTensor, kNoElements);
  EXPECT_EQ(rules.applies("index_rank", kNumber, kEmpty).operands[1].shape, (Dims{0, 1}));
  EXPECT_EQ(rules.applies("index_dtype", kNumber, kEmpty).operands[1].dtype, Dtype::kFloat);
  EXPECT_EQ(rules.applies("index_dtype_narrow", kNumber, kEmpty).operands[1].dtype, Dtype::kInt16);
  EXPECT_EQ(rules.applies("dim_above", kNumber, kEmpty).attributes[0], 2);
  EXPECT_EQ(rules.applies("value_rank", kTensor, kPlain).operands[2].shape, (Dims{1}));
  rules.does_not_apply("value_rank", kNumber, kPlain);
  EXPECT_EQ(rules.applies("value_complex", kNumber, kEmpty).operands[2].dtype,
            Dtype::kComplexDouble);
  EXPECT_EQ(rules.applies("value_complex", kTensor, kFloat).operands[2].dtype,
            Dtype::kComplexDouble);
  rules.does_not_apply("value_complex", kNumber,
                       "self complex64 (2)\nindex int64 (2) fill=first\nvalue int64 ()\n");
  EXPECT_EQ(
      rules.applies("self_is_index", ".int_Scalar in-place", kPlain).operands[1].shares_memory_with,
      0);
  rules.does_not_apply("self_is_index", kNumber, kPlain);
  rules.does_not_apply("self_is_index", ".int_Scalar in-place", kFloat);
  rules.does_not_apply("self_is_index", ".int_Scalar in-place", kEmpty);
  EXPECT_EQ(rules.applies("out_dtype", ".int_Tensor out", kOut).operands[3].dtype, Dtype::kDouble);
  rules.does_not_apply("out_dtype", kTensor, kPlain);
  EXPECT_TRUE(has_expanded(
      rules.applies("out_overlaps_itself", ".int_Scalar out", kOut).operands[3].layout));
  rules.does_not_apply("out_overlaps_itself", ".int_Scalar in-place", kPlain);
  EXPECT_EQ(rules.applies("self_empty", ".int_Scalar in-place", kPlain).operands[0].shape[0], 0);
  rules.does_not_apply("self_empty", kNumber, kEmpty);
  rules.does_not_apply("self_empty", kNumber, kNoElements);
  constexpr std::string_view kShort = "self int16 (2)\nindex int64 (1) fill=first\n";
  const Case overflows =
      rules.applies("value_overflows", kNumber, std::string(kShort) + "value int64 ()\n");
  EXPECT_EQ(overflows.operands[2].poke_value, 32768);
  EXPECT_EQ(overflows.operands[2].dtype, Dtype::kInt64);
  EXPECT_EQ(rules.applies("value_overflows", kTensor, std::string(kShort) + "value float64 ()\n")
                .operands[2]
                .dtype,
            Dtype::kDouble);
  rules.does_not_apply("value_overflows", kNumber, kFloat);
  rules.does_not_apply("value_overflows", kNumber, kEmpty);
  EXPECT_EQ(rules.applies("dim_below", kNumber, kPlain).attributes[0], -3);
  EXPECT_TRUE(has_expanded(
      rules.applies("self_overlaps_itself", ".int_Scalar in-place", kPlain).operands[0].layout));
  rules.does_not_apply("self_overlaps_itself", kNumber, kPlain);
  rules.all_tried({"index_rank", "index_dtype", "index_dtype_narrow", "dim_above", "dim_below"});
}

}  // namespace
}  // namespace indexfuzz
