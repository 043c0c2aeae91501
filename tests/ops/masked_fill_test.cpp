// masked_fill's oracle and rules, by hand. self holds 1, 2, 3, … in row-major order, value -1.

#include <bit>
#include <cmath>
#include <limits>

#include "rule_cases.h"

namespace indexfuzz {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using List = std::vector<double>;

TEST(MaskedFill, WritesTheValueWhereTheMaskIsSet) {
  for (const std::string_view call :
       {"masked_fill.Scalar functional", "masked_fill.Tensor functional",
        "masked_fill.Scalar in-place", "masked_fill.Tensor in-place"}) {
    EXPECT_EQ(oracle_of(std::string(call) +
                        "\nself float32 (2, 3)\nmask bool (2, 3) fill=mask_front popcount=2\n"
                        "value int64 ()\n"),
              (List{-1, -1, 3, 4, 5, 6}))
        << call;
  }
}

TEST(MaskedFill, BroadcastsTheMask) {
  EXPECT_EQ(oracle_of("masked_fill.Scalar in-place\nself int32 (2, 3)\nmask bool (3) "
                      "fill=mask_back popcount=1\nvalue int64 ()\n"),
            (List{1, 2, -1, 4, 5, -1}));
  EXPECT_EQ(oracle_of("masked_fill.Scalar in-place\nself int32 (2, 3)\nmask bool (2, 1) "
                      "fill=mask_back popcount=1\nvalue int64 ()\n"),
            (List{1, 2, 3, -1, -1, -1}));
  EXPECT_EQ(oracle_of("masked_fill.Tensor in-place\nself int32 (2, 2)\nmask bool () "
                      "fill=mask_front popcount=1\nvalue int32 ()\n"),
            (List{-1, -1, -1, -1}));
}

TEST(MaskedFill, BroadcastsSelfToALargerMask) {
  constexpr std::string_view kCall =
      "masked_fill.Scalar functional\nself int32 (2, 1)\nmask bool (2, 1, 3) fill=mask_front "
      "popcount=4\nvalue int64 ()\n";
  EXPECT_EQ(result_shape_of(kCall), (Dims{2, 2, 3}));
  EXPECT_EQ(oracle_of(kCall), (List{-1, -1, -1, -1, -1, -1, -1, 1, 1, -1, 2, 2}));
}

TEST(MaskedFill, TakesScalarsAndEmptyTensors) {
  EXPECT_EQ(oracle_of("masked_fill.Scalar functional\nself float64 ()\nmask bool () "
                      "fill=mask_front popcount=1\nvalue float64 ()\n"),
            (List{-1}));
  EXPECT_EQ(oracle_of("masked_fill.Tensor functional\nself float64 ()\nmask bool () "
                      "fill=mask_front\nvalue float64 ()\n"),
            (List{1}));
  EXPECT_THAT(oracle_of("masked_fill.Tensor functional\nself float64 (0, 3)\nmask bool (3) "
                        "fill=mask_front popcount=1\nvalue float64 ()\n"),
              IsEmpty());
}

TEST(MaskedFill, ConvertsTheValueToSelfsDtype) {
  EXPECT_THAT(bits_of<std::uint16_t>(
                  oracle_of("masked_fill.Scalar functional\nself float16 (2)\nmask bool (2) "
                            "fill=mask_back popcount=1\nvalue float64 ()\n",
                            {bytes_of<std::uint16_t>({0x3C00, 0x3C00}),
                             bytes_of<std::uint8_t>({0, 1}), bytes_of<double>({-2.5})})),
              ElementsAre(0x3C00, 0xC100));
  EXPECT_THAT(bits_of<std::uint8_t>(
                  oracle_of("masked_fill.Scalar functional\nself bool (2)\nmask bool (2) "
                            "fill=mask_back popcount=1\nvalue int64 ()\n",
                            {bytes_of<std::uint8_t>({0, 0}), bytes_of<std::uint8_t>({0, 1}),
                             bytes_of<std::int64_t>({7})})),
              ElementsAre(0, 1));
  EXPECT_THAT(
      bits_of<float>(oracle_of("masked_fill.Tensor functional\nself complex64 (2)\nmask bool (2) "
                               "fill=mask_back popcount=1\nvalue int16 ()\n",
                               {bytes_of<float>({1, 2, 3, 4}), bytes_of<std::uint8_t>({0, 1}),
                                bytes_of<std::int16_t>({-5})})),
      ElementsAre(1, 2, -5, 0));
  // An int64 does not pass through a double.
  EXPECT_THAT(bits_of<std::int64_t>(oracle_of(
                  "masked_fill.Scalar functional\nself int64 (1)\nmask bool (1) fill=mask_back "
                  "popcount=1\nvalue int64 ()\n",
                  {bytes_of<std::int64_t>({0}), bytes_of<std::uint8_t>({1}),
                   bytes_of<std::int64_t>({std::numeric_limits<std::int64_t>::min() + 1})})),
              ElementsAre(std::numeric_limits<std::int64_t>::min() + 1));
  const std::vector<float> filled = bits_of<float>(
      oracle_of("masked_fill.Scalar functional\nself float32 (1)\nmask bool (1) fill=mask_back "
                "popcount=1\nvalue float64 ()\n",
                {bytes_of<float>({1}), bytes_of<std::uint8_t>({1}),
                 bytes_of<double>({std::numeric_limits<double>::quiet_NaN()})}));
  EXPECT_TRUE(std::isnan(filled.at(0)));
}

TEST(MaskedFill, LeavesTheBitsOfWhatIsNotSet) {
  EXPECT_THAT(bits_of<std::uint32_t>(oracle_of(
                  "masked_fill.Scalar functional\nself float32 (3)\nmask bool (3) fill=mask_back "
                  "popcount=1\nvalue float64 ()\n",
                  {bytes_of<std::uint32_t>({0x7F800001u, 0x80000000u, 0}),
                   bytes_of<std::uint8_t>({0, 0, 1}), bytes_of<double>({-0.0})})),
              ElementsAre(0x7F800001u, 0x80000000u, 0x80000000u));
}

TEST(MaskedFill, RulesApplyWhereATenLooks) {
  RuleCases rules("masked_fill");
  constexpr std::string_view kPlain =
      "self float32 (2, 3)\nmask bool (2, 3) fill=mask_front popcount=2\nvalue float64 ()\n";
  constexpr std::string_view kStretched =
      "self float32 (2, 1)\nmask bool (2, 1) fill=mask_front popcount=2\nvalue float64 ()\n";
  constexpr std::string_view kComplex =
      "self complex64 (2)\nmask bool (1) fill=mask_front\nvalue float64 ()\n";
  constexpr std::string_view kOut =
      "self float32 (2, 3)\nmask bool (3) fill=mask_front\nvalue float32 ()\nout float32 (2, 3)\n";
  constexpr std::string_view kResized =
      "self float32 (2, 3)\nmask bool (3) fill=mask_front\nvalue float32 ()\nout float32 (0)\n";
  EXPECT_EQ(rules.applies("mask_dtype", ".Scalar functional", kPlain).operands[1].dtype,
            Dtype::kFloat);
  EXPECT_EQ(rules.applies("mask_shape", ".Scalar in-place", kPlain).operands[1].shape,
            (Dims{2, 4}));
  rules.does_not_apply("mask_shape", ".Scalar functional", kStretched);
  EXPECT_EQ(
      rules.applies("mask_shape_in_front", ".Scalar in-place", kPlain).operands[1].shape.front(),
      3);
  rules.does_not_apply(
      "mask_shape_in_front", ".Scalar functional",
      "self float32 (3)\nmask bool (3) fill=mask_front popcount=1\nvalue float64 ()\n");
  EXPECT_EQ(rules.applies("mask_larger_than_self", ".Scalar in-place", kPlain).operands[1].shape,
            (Dims{2, 2, 3}));
  rules.does_not_apply("mask_larger_than_self", ".Scalar functional", kPlain);
  EXPECT_EQ(rules.applies("mask_rank", ".Scalar in-place", kPlain).operands[1].shape,
            (Dims{1, 2, 3}));
  rules.does_not_apply("mask_rank", ".Scalar functional", kPlain);
  EXPECT_EQ(rules.applies("value_rank", ".Tensor functional", kPlain).operands[2].shape, Dims{1});
  EXPECT_TRUE(has_expanded(
      rules.applies("self_overlaps_itself", ".Scalar in-place", kPlain).operands[0].layout));
  rules.does_not_apply("self_overlaps_itself", ".Scalar functional", kPlain);
  rules.does_not_apply("value_rank", ".Scalar functional", kPlain);
  EXPECT_EQ(rules.applies("value_complex", ".Scalar functional", kPlain).operands[2].dtype,
            Dtype::kComplexDouble);
  rules.does_not_apply("value_complex", ".Tensor in-place", kComplex);
  EXPECT_EQ(rules.applies("out_dtype", ".Tensor out", kOut).operands[3].dtype, Dtype::kDouble);
  rules.does_not_apply("out_dtype", ".Tensor in-place", kPlain);
  EXPECT_TRUE(
      has_expanded(rules.applies("out_overlaps_itself", ".Tensor out", kOut).operands[3].layout));
  rules.does_not_apply("out_overlaps_itself", ".Tensor out", kResized);
  rules.does_not_apply("out_overlaps_itself", ".Tensor in-place", kPlain);
  const Case overflows =
      rules.applies("value_overflows", ".Scalar functional",
                    "self int64 (2)\nmask bool (2) fill=mask_front popcount=1\nvalue int64 ()\n");
  EXPECT_EQ(overflows.operands[2].dtype, Dtype::kDouble);
  EXPECT_EQ(expectation(written("masked_fill.Scalar functional breaks=value_overflows\n"
                                "self int64 (2)\nmask bool (2) fill=mask_front popcount=1\n"
                                "value int64 ()\n"))
                .operands[2],
            bytes_of<double>({0x1p63}));
  EXPECT_EQ(rules
                .applies("value_overflows", ".Scalar functional",
                         "self float16 (2)\nmask bool (2) fill=mask_front popcount=1\n"
                         "value float64 ()\n")
                .operands[2]
                .poke_value,
            65536);
  rules.does_not_apply("value_overflows", ".Scalar functional", kPlain);
  EXPECT_EQ(rules
                .applies("mask_is_written", ".Scalar in-place",
                         "self bool (2, 2)\nmask bool (2) fill=mask_front popcount=1\n"
                         "value bool ()\n")
                .operands[1]
                .shares_memory_with,
            0);
  rules.does_not_apply("mask_is_written", ".Scalar in-place", kPlain);
  rules.does_not_apply("value_overflows", ".Scalar functional",
                       "self int64 (2)\nmask bool (2) fill=mask_front\nvalue int64 ()\n");
  rules.all_tried({"mask_dtype"});
}

}  // namespace
}  // namespace indexfuzz
