// masked_select's oracle and rules, by hand. self holds 1, 2, 3, … in row-major order.

#include "rule_cases.h"

namespace indexfuzz {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using List = std::vector<double>;

TEST(MaskedSelect, TakesWhatIsSetInRowMajorOrder) {
  EXPECT_EQ(oracle_of("masked_select functional\nself float32 (2, 3)\nmask bool (2, 3) "
                      "fill=mask_back popcount=4\n"),
            (List{3, 4, 5, 6}));
  // mask = 0, 1, 0, 1
  EXPECT_EQ(oracle_of("masked_select functional\nself int16 (4)\nmask bool (4) "
                      "fill=mask_spread1 popcount=2\n"),
            (List{2, 4}));
  // The order is self's, however it lies in memory.
  EXPECT_EQ(oracle_of("masked_select functional\nself int16 (2, 2) order=(1, 0)\nmask bool (2, 2) "
                      "fill=mask_back popcount=3\n"),
            (List{2, 3, 4}));
}

TEST(MaskedSelect, BroadcastsBothWays) {
  EXPECT_EQ(oracle_of("masked_select functional\nself int32 (2, 3)\nmask bool (3) "
                      "fill=mask_back popcount=2\n"),
            (List{2, 3, 5, 6}));
  EXPECT_EQ(oracle_of("masked_select functional\nself int32 (2, 1)\nmask bool (2, 1, 3) "
                      "fill=mask_front popcount=4\n"),
            (List{1, 1, 1, 2, 2, 2, 1, 2}));
  EXPECT_EQ(oracle_of("masked_select functional\nself int32 (2, 2)\nmask bool (1, 1) "
                      "fill=mask_front popcount=1\n"),
            (List{1, 2, 3, 4}));
}

TEST(MaskedSelect, TheResultHasOneDimension) {
  EXPECT_EQ(result_shape_of("masked_select functional\nself float32 ()\nmask bool () "
                            "fill=mask_front popcount=1\n"),
            Dims{1});
  EXPECT_EQ(
      result_shape_of("masked_select functional\nself float32 ()\nmask bool () fill=mask_front\n"),
      Dims{0});
  EXPECT_EQ(result_shape_of("masked_select functional\nself float32 (3, 1)\nmask bool (2) "
                            "fill=mask_front popcount=1\n"),
            Dims{3});
  EXPECT_EQ(result_shape_of("masked_select functional\nself float32 (2, 3)\nmask bool (2, 3) "
                            "expanded=(0) fill=mask_front repeats=(0) popcount=2\n"),
            Dims{4});
  EXPECT_EQ(result_shape_of("masked_select functional\nself float32 (0, 3)\nmask bool (3) "
                            "fill=mask_front popcount=2\n"),
            Dims{0});
  EXPECT_THAT(oracle_of("masked_select functional\nself float32 (3)\nmask bool (2, 0, 1) "
                        "fill=mask_front\n"),
              IsEmpty());
}

TEST(MaskedSelect, MovesBytesUnchanged) {
  EXPECT_THAT(
      bits_of<std::uint16_t>(oracle_of(
          "masked_select functional\nself float16 (3)\nmask bool (3) fill=mask_front "
          "popcount=2\n",
          {bytes_of<std::uint16_t>({0x7C01, 1, 0x8000}), bytes_of<std::uint8_t>({1, 0, 1})})),
      ElementsAre(0x7C01, 0x8000));
}

TEST(MaskedSelect, RulesApplyWhereATenLooks) {
  RuleCases rules("masked_select");
  constexpr std::string_view kPlain =
      "self float32 (2, 3)\nmask bool (2, 3) fill=mask_front popcount=2\n";
  constexpr std::string_view kStretched =
      "self float32 (2, 1)\nmask bool (2, 3) fill=mask_front popcount=2\n";
  constexpr std::string_view kOut =
      "self float32 (2, 3)\nmask bool (2, 3) fill=mask_front popcount=2\nout float32 (2)\n";
  constexpr std::string_view kResized =
      "self float32 (2, 3)\nmask bool (2, 3) fill=mask_front popcount=2\nout float32 (0)\n";
  constexpr std::string_view kOutFitsMask =
      "self uint8 (2, 3)\nmask bool (2, 3) fill=mask_front popcount=2\nout uint8 (2)\n";
  EXPECT_EQ(rules.applies("mask_dtype", "functional", kPlain).operands[1].dtype, Dtype::kFloat);
  EXPECT_EQ(rules.applies("mask_shape", "functional", kPlain).operands[1].shape, (Dims{2, 4}));
  rules.does_not_apply("mask_shape", "functional", kStretched);
  EXPECT_EQ(rules.applies("mask_shape_in_front", "functional", kPlain).operands[1].shape.front(),
            3);
  rules.does_not_apply("mask_shape_in_front", "functional",
                       "self float32 (3)\nmask bool (3) fill=mask_front popcount=1\n");
  EXPECT_EQ(rules.applies("out_dtype", "out", kOut).operands[2].dtype, Dtype::kDouble);
  rules.does_not_apply("out_dtype", "functional", kPlain);
  EXPECT_TRUE(has_expanded(rules.applies("out_overlaps_itself", "out", kOut).operands[2].layout));
  rules.does_not_apply("out_overlaps_itself", "out", kResized);
  rules.does_not_apply("out_overlaps_itself", "functional", kPlain);
  EXPECT_EQ(rules.applies("out_is_self", "out", kOut).operands[2].shares_memory_with, 0);
  EXPECT_EQ(rules.applies("out_is_self", "out", kResized).operands[2].shares_memory_with, 0);
  rules.does_not_apply("out_is_self", "functional", kPlain);
  EXPECT_EQ(rules.applies("out_is_mask", "out", kOutFitsMask).operands[2].shares_memory_with, 1);
  // The two floats of out are more bytes than the mask has.
  rules.does_not_apply("out_is_mask", "out", kOut);
  rules.all_tried({"mask_dtype"});
}

}  // namespace
}  // namespace indexfuzz
