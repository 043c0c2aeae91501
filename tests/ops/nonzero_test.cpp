// nonzero's oracle and rules, by hand.

#include <limits>

#include "ops/repair/repair.h"
#include "rule_cases.h"

namespace indexfuzz {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using List = std::vector<double>;

TEST(Nonzero, GivesARowOfCoordinatesForEachElement) {
  EXPECT_EQ(oracle_of("nonzero functional\nself float32 (2, 3) fill=mask_back popcount=4\n"),
            (List{0, 2, 1, 0, 1, 1, 1, 2}));
  EXPECT_EQ(result_shape_of("nonzero functional\nself float32 (2, 3) fill=mask_back popcount=4\n"),
            (Dims{4, 2}));
  EXPECT_EQ(oracle_of("nonzero functional\nself bool (2, 1, 2) fill=mask_front popcount=3\n"),
            (List{0, 0, 0, 0, 0, 1, 1, 0, 0}));
  EXPECT_EQ(oracle_of("nonzero functional\nself int64 (5) fill=mask_spread1 popcount=2\n"),
            (List{2, 4}));
  // The order is the logical one, however self lies in memory.
  EXPECT_EQ(
      oracle_of("nonzero functional\nself int8 (2, 2) order=(1, 0) fill=mask_back popcount=3\n"),
      (List{0, 1, 1, 0, 1, 1}));
  EXPECT_EQ(oracle_of("nonzero functional\nself int8 (2, 3) expanded=(0) fill=mask_front "
                      "repeats=(0) popcount=1\n"),
            (List{0, 0, 1, 0}));
}

TEST(Nonzero, ScalarsHaveNoCoordinates) {
  EXPECT_EQ(result_shape_of("nonzero functional\nself float32 () fill=mask_front popcount=1\n"),
            (Dims{1, 0}));
  EXPECT_EQ(result_shape_of("nonzero functional\nself float32 () fill=mask_front\n"), (Dims{0, 0}));
  EXPECT_EQ(result_shape_of("nonzero functional\nself float32 (3) fill=mask_front\n"),
            (Dims{0, 1}));
  EXPECT_EQ(result_shape_of("nonzero functional\nself float32 (2, 0, 3) fill=mask_front\n"),
            (Dims{0, 3}));
  EXPECT_THAT(oracle_of("nonzero functional\nself float32 (2, 0, 3) fill=mask_front\n"), IsEmpty());
}

TEST(Nonzero, ZerosOfEitherSignAreZeroAndNothingElse) {
  EXPECT_THAT(bits_of<std::int64_t>(oracle_of(
                  "nonzero functional\nself float32 (6) fill=mask_front popcount=3\n",
                  {bytes_of<std::uint32_t>({0, 0x80000000u, 1, 0x7FC00000u, 0, 0xFF800000u})})),
              ElementsAre(2, 3, 5));
  EXPECT_THAT(bits_of<std::int64_t>(oracle_of(
                  "nonzero functional\nself complex64 (4) fill=mask_front popcount=2\n",
                  {bytes_of<std::uint32_t>({0x80000000u, 0, 0, 1, 0, 0x80000000u, 1, 0})})),
              ElementsAre(1, 3));
  EXPECT_THAT(bits_of<std::int64_t>(oracle_of(
                  "nonzero functional\nself int16 (3) fill=mask_front popcount=2\n",
                  {bytes_of<std::int16_t>({std::numeric_limits<std::int16_t>::min(), 0, 256})})),
              ElementsAre(0, 2));
}

TEST(Nonzero, AResultKeepsWithinTheLimits) {
  Case c = written("nonzero functional\nself int8 (2, 4, 4) fill=mask_front popcount=32\n");
  Limits limits;
  limits.max_elements = 32;
  repair(c, limits);
  EXPECT_EQ(operator_of(c).result(c).shape, (Dims{10, 3}));
  c = written(
      "nonzero functional\nself int8 (2, 4, 4) expanded=(2) fill=mask_front repeats=(2) "
      "popcount=8\n");
  repair(c, limits);
  EXPECT_EQ(operator_of(c).result(c).shape, (Dims{8, 3}));
}

TEST(Nonzero, RulesApplyWhereATenLooks) {
  RuleCases rules("nonzero");
  constexpr std::string_view kPlain = "self int64 (6) fill=mask_front popcount=2\n";
  constexpr std::string_view kOut = "self int64 (6) fill=mask_front popcount=2\nout int64 (2, 1)\n";
  constexpr std::string_view kResized =
      "self int64 (6) fill=mask_front popcount=2\nout int64 (0)\n";
  constexpr std::string_view kNarrow =
      "self float32 (4) fill=mask_front popcount=3\nout int64 (3, 1)\n";
  EXPECT_EQ(rules.applies("out_dtype", "out", kOut).operands[1].dtype, Dtype::kDouble);
  rules.does_not_apply("out_dtype", "functional", kPlain);
  EXPECT_TRUE(has_expanded(rules.applies("out_overlaps_itself", "out", kOut).operands[1].layout));
  rules.does_not_apply("out_overlaps_itself", "out", kResized);
  rules.does_not_apply("out_overlaps_itself", "functional", kPlain);
  EXPECT_EQ(rules.applies("out_is_self", "out", kOut).operands[1].shares_memory_with, 0);
  // The three rows are more bytes than self has.
  rules.does_not_apply("out_is_self", "out", kNarrow);
  rules.does_not_apply("out_is_self", "functional", kPlain);
  rules.all_tried({});
}

}  // namespace
}  // namespace indexfuzz
