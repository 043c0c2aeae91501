// nonzero_static's oracle and rules, by hand. What counts as zero is tested with nonzero.

#include "ops/repair/repair.h"
#include "rule_cases.h"

namespace indexfuzz {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using List = std::vector<double>;

TEST(NonzeroStatic, FillsTheRowsThatAreLeftOver) {
  constexpr std::string_view kCase =
      "nonzero_static functional size=3 fill_value=-7\n"
      "self bool (2, 2) fill=mask_back popcount=2\n";
  EXPECT_EQ(oracle_of(kCase), (List{1, 0, 1, 1, -7, -7}));
  EXPECT_EQ(result_shape_of(kCase), (Dims{3, 2}));
}

TEST(NonzeroStatic, LeavesOutTheRowsThatAreTooMany) {
  EXPECT_EQ(oracle_of("nonzero_static functional size=2 fill_value=0\n"
                      "self float32 (2, 3) fill=mask_front popcount=5\n"),
            (List{0, 0, 0, 1}));
  constexpr std::string_view kNone =
      "nonzero_static functional size=0 fill_value=0\n"
      "self float32 (3) fill=mask_front popcount=3\n";
  EXPECT_THAT(oracle_of(kNone), IsEmpty());
  EXPECT_EQ(result_shape_of(kNone), (Dims{0, 1}));
}

TEST(NonzeroStatic, TheFillIsAnyInt64) {
  EXPECT_THAT(bits_of<std::int64_t>(
                  oracle_of("nonzero_static functional size=2 fill_value=-9223372036854775807\n"
                            "self int8 (2) fill=mask_front popcount=0\n",
                            {bytes_of<std::int8_t>({0, 5})})),
              ElementsAre(1, -9223372036854775807));
}

TEST(NonzeroStatic, ScalarsHaveNoCoordinates) {
  EXPECT_EQ(result_shape_of("nonzero_static functional size=2 fill_value=0\n"
                            "self bool () fill=mask_front popcount=1\n"),
            (Dims{2, 0}));
}

TEST(NonzeroStatic, AResultKeepsWithinTheLimits) {
  Case c = written(
      "nonzero_static functional size=100 fill_value=0\n"
      "self int8 (2, 4, 4) fill=mask_front popcount=3\n");
  Limits limits;
  limits.max_elements = 32;
  repair(c, limits);
  EXPECT_EQ(operator_of(c).result(c).shape, (Dims{10, 3}));
}

TEST(NonzeroStatic, RulesApplyWhereATenLooks) {
  RuleCases rules("nonzero_static");
  constexpr std::string_view kFunctional = "functional size=2 fill_value=0",
                             kOutForm = "out size=2 fill_value=0";
  constexpr std::string_view kSelf = "self int64 (6) fill=mask_front popcount=2\n";
  constexpr std::string_view kOut = "self int64 (6) fill=mask_front popcount=2\nout int64 (2, 1)\n";
  constexpr std::string_view kResized =
      "self int64 (6) fill=mask_front popcount=2\nout int64 (0)\n";
  constexpr std::string_view kNarrow =
      "self int8 (6) fill=mask_front popcount=2\nout int64 (2, 1)\n";
  EXPECT_EQ(rules.applies("size_below", kFunctional, kSelf).attributes[0], -1);
  rules.does_not_apply("size_below", kOutForm, kOut);
  EXPECT_EQ(rules.applies("out_dtype", kOutForm, kOut).operands[1].dtype, Dtype::kDouble);
  rules.does_not_apply("out_dtype", kFunctional, kSelf);
  EXPECT_TRUE(
      has_expanded(rules.applies("out_overlaps_itself", kOutForm, kOut).operands[1].layout));
  rules.does_not_apply("out_overlaps_itself", kOutForm, kResized);
  EXPECT_EQ(rules.applies("out_is_self", kOutForm, kOut).operands[1].shares_memory_with, 0);
  rules.does_not_apply("out_is_self", kOutForm, kNarrow);
  rules.all_tried({});
}

}  // namespace
}  // namespace indexfuzz
