// where's oracle and rules, by hand. The first operand holds 1, 2, 3, …, the second -1, -2, -3, …
// in row-major order.

#include "ops/repair/repair.h"
#include "rule_cases.h"

namespace indexfuzz {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using List = std::vector<double>;

Dtype result_dtype_of(std::string_view body) {
  return expectation(written(body)).result.dtype;
}

TEST(Where, TakesSelfWhereTheConditionIsSet) {
  EXPECT_EQ(oracle_of("where.self functional\nself int32 (4)\nother int32 (4)\n"
                      "condition bool (4) fill=mask_front popcount=1\n"),
            (List{1, -2, -3, -4}));
  EXPECT_EQ(oracle_of("where.self out\nself float32 (2, 2)\nother float32 (2, 2)\n"
                      "condition bool (2, 2) fill=mask_back popcount=3\nout float32 (2, 2)\n"),
            (List{-1, 2, 3, 4}));
}

TEST(Where, InPlaceItIsWrittenIntoOneOfTheTwo) {
  EXPECT_EQ(oracle_of("where.self in-place\nself int32 (2, 2)\nother int32 (2)\n"
                      "condition bool (2, 1) fill=mask_front popcount=1\n"),
            (List{1, 2, -1, -2}));
  EXPECT_EQ(oracle_of("where.into_other in-place\nother int32 (4)\nself int32 (1)\n"
                      "condition bool (4) fill=mask_front popcount=1\n"),
            (List{-1, 2, 3, 4}));
  // It has the shape and the dtype that the result has.
  EXPECT_THAT(error_of("where.self in-place\nself int32 (2)\nother int32 (2, 2)\n"
                       "condition bool (2) fill=mask_front\n"),
              HasSubstr("other: its shape must be (2), not (2, 2)"));
  EXPECT_THAT(error_of("where.self in-place\nself int32 (1)\nother int32 (1)\n"
                       "condition bool (2) fill=mask_front\n"),
              HasSubstr("condition: its shape must be (1), not (2)"));
  EXPECT_THAT(error_of("where.into_other in-place\nother int32 (1)\nself float32 (1)\n"
                       "condition bool (1) fill=mask_front\n"),
              HasSubstr("self: its dtype must be int32"));
}

TEST(Where, AUInt8ConditionIsSetWhereItIsNotZero) {
  EXPECT_THAT(bits_of<std::int16_t>(
                  oracle_of("where.self functional\nself int16 (3)\nother int16 (3)\n"
                            "condition uint8 (3) fill=mask_front\n",
                            {bytes_of<std::int16_t>({1, 2, 3}), bytes_of<std::int16_t>({4, 5, 6}),
                             bytes_of<std::uint8_t>({2, 0, 128})})),
              ElementsAre(1, 5, 3));
}

TEST(Where, AllThreeBroadcast) {
  const std::string_view outer =
      "where.self functional\nself int64 (2, 1)\nother int64 (2)\n"
      "condition bool (1, 2) fill=mask_front popcount=1\n";
  EXPECT_EQ(oracle_of(outer), (List{1, -2, 2, -2}));
  EXPECT_EQ(result_shape_of(outer), (Dims{2, 2}));
  const std::string_view by_condition =
      "where.self functional\nself int64 ()\nother int64 (1)\n"
      "condition bool (2, 1, 2) fill=mask_back popcount=1\n";
  EXPECT_EQ(oracle_of(by_condition), (List{-1, -1, -1, 1}));
  EXPECT_EQ(result_shape_of(by_condition), (Dims{2, 1, 2}));
  EXPECT_EQ(result_shape_of("where.self functional\nself int64 (0)\nother int64 (2, 1)\n"
                            "condition bool () fill=mask_front\n"),
            (Dims{2, 0}));
  EXPECT_THAT(error_of("where.self functional\nself int64 (2)\nother int64 (3)\n"
                       "condition bool () fill=mask_front\n"),
              HasSubstr("other: its shape must be (2), not (3)"));
  EXPECT_THAT(error_of("where.self functional\nself int64 (2, 1)\nother int64 (3)\n"
                       "condition bool (2) fill=mask_front\n"),
              HasSubstr("condition: its shape must be (3), not (2)"));
}

TEST(Where, NumbersStandWhereTheSchemaHasThem) {
  EXPECT_EQ(oracle_of("where.ScalarSelf functional\nother float64 (3)\nself int64 () fill=zeros\n"
                      "condition bool (3) fill=mask_front popcount=1\n"),
            (List{0, 2, 3}));
  EXPECT_EQ(oracle_of("where.ScalarOther functional\nself float64 (3)\nother int64 () fill=zeros\n"
                      "condition bool (3) fill=mask_front popcount=1\n"),
            (List{1, 0, 0}));
  EXPECT_EQ(oracle_of("where.Scalar functional\nself int64 () fill=ones\nother int64 () "
                      "fill=zeros\ncondition bool (2, 2) fill=mask_front popcount=3\n"),
            (List{1, 1, 1, 0}));
}

TEST(Where, ConvertsToTheDtypeInWhichBothMeet) {
  const std::string_view tensors =
      "where.self functional\nself int8 (2)\nother float32 (2)\n"
      "condition bool (2) fill=mask_front popcount=1\n";
  EXPECT_EQ(result_dtype_of(tensors), Dtype::kFloat);
  EXPECT_THAT(bits_of<float>(oracle_of(
                  tensors, {bytes_of<std::int8_t>({-7, 8}), bytes_of<float>({0.5f, -0.25f}),
                            bytes_of<std::uint8_t>({1, 0})})),
              ElementsAre(-7, -0.25f));
  // A 0-dimensional tensor of the same category does not count, one of a higher category does.
  EXPECT_EQ(result_dtype_of("where.self functional\nself float16 (2)\nother float64 ()\n"
                            "condition bool () fill=mask_front\n"),
            Dtype::kHalf);
  EXPECT_EQ(result_dtype_of("where.self functional\nself int64 ()\nother int8 (0)\n"
                            "condition bool () fill=mask_front\n"),
            Dtype::kInt8);
  EXPECT_EQ(result_dtype_of("where.self functional\nself int64 (1)\nother float16 ()\n"
                            "condition bool () fill=mask_front\n"),
            Dtype::kHalf);
  // It is the values that are weighed, not the condition.
  EXPECT_EQ(result_dtype_of("where.self functional\nself float16 ()\nother float64 ()\n"
                            "condition bool (2) fill=mask_front\n"),
            Dtype::kDouble);
  EXPECT_EQ(result_dtype_of("where.ScalarOther functional\nself int32 ()\nother float64 ()\n"
                            "condition bool () fill=mask_front\n"),
            Dtype::kFloat);
  const std::string_view numbers =
      "where.Scalar functional\nself int64 ()\nother complex128 ()\n"
      "condition bool (2) fill=mask_front popcount=1\n";
  EXPECT_EQ(result_dtype_of(numbers), Dtype::kComplexFloat);
  EXPECT_THAT(
      bits_of<float>(oracle_of(numbers, {bytes_of<std::int64_t>({-3}), bytes_of<double>({0.5, -2}),
                                         bytes_of<std::uint8_t>({1, 0})})),
      ElementsAre(-3, 0, 0.5f, -2));
}

TEST(Where, ConvertsWithoutLoss) {
  // As doubles the two would be one.
  EXPECT_THAT(bits_of<std::int64_t>(oracle_of(
                  "where.ScalarSelf functional\nother int64 (2)\nself int64 ()\n"
                  "condition bool (2) fill=mask_front popcount=1\n",
                  {bytes_of<std::int64_t>({0, (1ll << 53)}),
                   bytes_of<std::int64_t>({(1ll << 53) + 1}), bytes_of<std::uint8_t>({1, 0})})),
              ElementsAre((1ll << 53) + 1, 1ll << 53));
  // The sign of a zero.
  EXPECT_THAT(bits_of<std::uint16_t>(
                  oracle_of("where.ScalarOther functional\nself float16 (1)\nother float64 ()\n"
                            "condition bool (1) fill=mask_front\n",
                            {bytes_of<std::uint16_t>({0x3C00}), bytes_of<double>({-0.0}),
                             bytes_of<std::uint8_t>({0})})),
              ElementsAre(0x8000));
}

TEST(Where, ValuesAreDrawnToFitTheResult) {
  // 2^53 + 1 and the extremes of int64 are special values, yet none that float16 would round.
  const List list = oracle_of(
      "where.self functional\nself int64 (40) fill=special1 seed=3\nother float16 (40)\n"
      "condition bool (40) fill=mask_front popcount=40\n");
  for (const double value : list) EXPECT_LE(std::abs(value), 2048);
}

TEST(Where, TheSecondValueGivesWayWhereThereIsNoPromotion) {
  EXPECT_THAT(error_of("where.self functional\nself uint16 (2)\nother int16 (2)\n"
                       "condition bool (2) fill=mask_front\n"),
              HasSubstr("other: its dtype must be uint16, not int16"));
  EXPECT_EQ(error_of("where.self functional\nself uint16 (2)\nother int16 ()\n"
                     "condition bool (2) fill=mask_front\n"),
            "");
  EXPECT_THAT(error_of("where.ScalarSelf functional\nother float8_e5m2 (2)\nself complex128 ()\n"
                       "condition bool (2) fill=mask_front\n"),
              HasSubstr("self: its dtype must be float64, not complex128"));
}

TEST(Where, TheResultStaysWithinTheDtypesOfTheLimits) {
  Limits limits;
  limits.dtypes = set_of(Dtype::kHalf) | set_of(Dtype::kBFloat16) | set_of(Dtype::kInt32);
  Case c = written(
      "where.self functional\nself float16 (2)\nother bfloat16 (2)\n"
      "condition bool (2) fill=mask_front\n");
  repair(c, limits);
  EXPECT_EQ(c.operands[1].dtype, Dtype::kHalf);
  c = written(
      "where.ScalarOther functional\nself int32 (2)\nother float64 ()\n"
      "condition bool (2) fill=mask_front\n");
  repair(c, limits);
  EXPECT_EQ(c.operands[1].dtype, Dtype::kInt64);
}

TEST(Where, RulesApplyWhereATenLooks) {
  RuleCases rules("where");
  constexpr std::string_view kPlain =
      "self float32 (2, 3)\nother float32 (3)\ncondition bool (2, 1) fill=mask_front popcount=1\n";
  constexpr std::string_view kOut =
      "self float32 (2, 3)\nother float32 (3)\ncondition bool (2, 1) fill=mask_front popcount=1\n"
      "out float32 (2, 3)\n";
  constexpr std::string_view kScalarsOfSize1 =
      "self float32 (1)\nother float32 ()\ncondition bool () fill=mask_front popcount=1\n";
  EXPECT_EQ(rules.applies("condition_dtype", ".self functional", kPlain).operands[2].dtype,
            Dtype::kFloat);
  EXPECT_EQ(rules.applies("condition_shape", ".self functional", kPlain).operands[2].shape,
            (Dims{2, 4}));
  rules.does_not_apply("condition_shape", ".self functional", kScalarsOfSize1);
  EXPECT_EQ(rules.applies("condition_shape_in_front", ".self functional", kPlain).operands[2].shape,
            (Dims{3, 1}));
  rules.does_not_apply("condition_shape_in_front", ".self functional", kScalarsOfSize1);
  EXPECT_EQ(rules.applies("other_shape", ".self functional", kPlain).operands[1].shape, (Dims{4}));
  rules.does_not_apply("other_shape", ".self functional", kScalarsOfSize1);
  EXPECT_EQ(rules.applies("no_promotion", ".self functional", kPlain).operands[1].dtype,
            Dtype::kFloat8E5M2);
  rules.does_not_apply("no_promotion", ".self functional", kScalarsOfSize1);
  EXPECT_EQ(rules.applies("out_dtype", ".self out", kOut).operands[3].dtype, Dtype::kDouble);
  rules.does_not_apply("no_promotion", ".ScalarOther functional",
                       "self float32 (2)\nother float64 ()\ncondition bool () fill=mask_front\n");
  rules.does_not_apply("other_shape", ".Scalar functional",
                       "self float64 ()\nother float64 ()\ncondition bool (2) fill=mask_front\n");
  rules.does_not_apply("out_dtype", ".self functional", kPlain);
  EXPECT_TRUE(
      has_expanded(rules.applies("out_overlaps_itself", ".self out", kOut).operands[3].layout));
  rules.does_not_apply("out_overlaps_itself", ".self functional", kPlain);
  constexpr std::string_view kTaller =
      "self float32 (2, 3)\nother float32 (1, 3)\ncondition bool (2, 1) fill=mask_front "
      "popcount=1\n";
  EXPECT_EQ(rules.applies("other_shape_in_front", ".self functional", kTaller).operands[1].shape,
            (Dims{3, 3}));
  rules.does_not_apply("other_shape_in_front", ".self functional", kPlain);
  constexpr std::string_view kHalf =
      "self float16 (3)\nother float64 ()\ncondition bool (3) fill=mask_front popcount=2\n";
  EXPECT_EQ(
      rules.applies("value_overflows", ".ScalarOther functional", kHalf).operands[1].poke_value,
      65536);
  EXPECT_EQ(rules
                .applies("value_overflows", ".ScalarSelf functional",
                         "other int8 (3)\nself int64 ()\ncondition bool (3) fill=mask_front "
                         "popcount=2\n")
                .operands[1]
                .poke_value,
            128);
  // Nobody takes the number; nothing is too large for the result.
  rules.does_not_apply(
      "value_overflows", ".ScalarOther functional",
      "self float16 (3)\nother float64 ()\ncondition bool (3) fill=mask_front popcount=3\n");
  rules.does_not_apply("value_overflows", ".ScalarOther functional",
                       "self float32 (3)\nother float64 ()\ncondition bool (3) fill=mask_front\n");
  rules.does_not_apply("value_overflows", ".self functional", kPlain);
  rules.all_tried({"condition_dtype"});
}

}  // namespace
}  // namespace indexfuzz
