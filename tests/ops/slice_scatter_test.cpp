// slice_scatter's oracle and rules, by hand. self holds 1, 2, 3, … in row-major order.

#include "rule_cases.h"

namespace indexfuzz {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using List = std::vector<double>;

/// A vector of five in which src, of `count` elements -1, -2, …, takes the place of some.
List replaced(std::string_view slices, int count) {
  return oracle_of("slice_scatter functional dim=0 " + std::string(slices) +
                   "\nself float32 (5)\nsrc float32 (" + std::to_string(count) + ")\n");
}

TEST(SliceScatter, ReplacesSlices) {
  EXPECT_EQ(replaced("start=1 end=3 step=1", 2), (List{1, -1, -2, 4, 5}));
  EXPECT_EQ(replaced("start=0 end=5 step=2", 3), (List{-1, 2, -2, 4, -3}));
  EXPECT_EQ(replaced("start=1 end=5 step=3", 2), (List{1, -1, 3, 4, -2}));
  EXPECT_EQ(oracle_of("slice_scatter functional dim=-1 start=1 end=none step=1\n"
                      "self float32 (2, 3)\nsrc float32 (2, 2)\n"),
            (List{1, -1, -2, 4, -3, -4}));
}

TEST(SliceScatter, PlacesAreReadAsInPython) {
  EXPECT_EQ(replaced("start=none end=2 step=1", 2), (List{-1, -2, 3, 4, 5}));
  EXPECT_EQ(replaced("start=3 end=none step=1", 2), (List{1, 2, 3, -1, -2}));
  EXPECT_EQ(replaced("start=-2 end=-1 step=1", 1), (List{1, 2, 3, -1, 5}));
  EXPECT_EQ(replaced("start=-9 end=9 step=4", 2), (List{-1, 2, 3, 4, -2}));
  EXPECT_EQ(replaced("start=3 end=1 step=1", 0), (List{1, 2, 3, 4, 5}));
  EXPECT_EQ(replaced("start=5 end=none step=1", 0), (List{1, 2, 3, 4, 5}));
}

TEST(SliceScatter, AStepMayBeLongerThanAnyTensor) {
  EXPECT_EQ(replaced("start=2 end=none step=9223372036854775807", 1), (List{1, 2, -1, 4, 5}));
  EXPECT_THAT(error_of("slice_scatter functional dim=0 start=none end=none step=0\n"
                       "self float32 (2)\nsrc float32 (2)\n"),
              HasSubstr("step must be 1"));
}

TEST(SliceScatter, MovesBytesUnchanged) {
  EXPECT_THAT(bits_of<std::uint16_t>(oracle_of(
                  "slice_scatter functional dim=0 start=none end=1 step=1\n"
                  "self float16 (2)\nsrc float16 (1)\n",
                  {bytes_of<std::uint16_t>({0, 0x8000}), bytes_of<std::uint16_t>({0x7C01})})),
              ElementsAre(0x7C01, 0x8000));
}

TEST(SliceScatter, RulesApplyWhereATenLooks) {
  RuleCases rules("slice_scatter");
  constexpr std::string_view kCall = "functional dim=1 start=none end=2 step=2",
                             kAll = "functional dim=0 start=none end=none step=1",
                             kOutForm = "out dim=1 start=none end=2 step=2";
  constexpr std::string_view kMatrix = "self float32 (2, 3)\nsrc float32 (2, 1)\n",
                             kVector = "self float32 (1)\nsrc float32 (1)\n";
  constexpr std::string_view kOut = "self float32 (2, 3)\nsrc float32 (2, 1)\nout float32 (2, 3)\n";
  constexpr std::string_view kResized =
      "self float32 (2, 3)\nsrc float32 (2, 1)\nout float32 (0)\n";
  EXPECT_EQ(rules.applies("step_zero", kCall, kMatrix).attributes[3], 0);
  EXPECT_EQ(rules.applies("step_below", kCall, kMatrix).attributes[3], -2);
  EXPECT_EQ(rules.applies("dim_above", kCall, kMatrix).attributes[0], 2);
  EXPECT_EQ(rules.applies("dim_below", kCall, kMatrix).attributes[0], -3);
  EXPECT_THAT(rules.applies("self_rank", kAll, kVector).operands[0].shape, IsEmpty());
  rules.does_not_apply("self_rank", kCall, kMatrix);
  EXPECT_THAT(rules.applies("src_shape", kAll, kVector).operands[1].shape, ElementsAre(2));
  EXPECT_THAT(rules.applies("src_rank", kCall, kMatrix).operands[1].shape, ElementsAre(2, 1, 1));
  EXPECT_THAT(rules.applies("src_rank_lower", kCall, kMatrix).operands[1].shape, ElementsAre(2));
  EXPECT_THAT(rules.applies("src_broadcasts", kCall, kMatrix).operands[1].shape, ElementsAre(1, 1));
  rules.does_not_apply("src_broadcasts", kAll, kVector);
  EXPECT_EQ(rules.applies("out_dtype", kOutForm, kOut).operands[2].dtype, Dtype::kDouble);
  rules.does_not_apply("out_dtype", kCall, kMatrix);
  EXPECT_TRUE(
      has_expanded(rules.applies("out_overlaps_itself", kOutForm, kOut).operands[2].layout));
  rules.does_not_apply("out_overlaps_itself", kOutForm, kResized);
  rules.all_tried({"step_zero", "step_below", "dim_above", "dim_below", "src_shape", "src_rank",
                   "src_rank_lower"});
}

}  // namespace
}  // namespace indexfuzz
