// max_unpool3d's oracle and rules, by hand. What it shares with the unpooling of planes stands in
// max_unpool2d_test.cpp. self holds 1, 2, 3, … in row-major order.

#include "rule_cases.h"

namespace indexfuzz {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using List = std::vector<double>;

TEST(MaxUnpool3d, ElementsGoToTheirPlacesInAVolumeOfZeros) {
  // The indices are 7, 6, 5, 4: the second slice of the volume.
  constexpr std::string_view kCase =
      "max_unpool3d functional output_depth=2 output_height=2 output_width=2 stride=1 padding=0\n"
      "self float32 (1, 1, 2, 2)\nindices int64 (1, 1, 2, 2) fill=descending\n";
  EXPECT_EQ(oracle_of(kCase), (List{0, 0, 0, 0, 4, 3, 2, 1}));
  EXPECT_EQ(result_shape_of(kCase), (Dims{1, 2, 2, 2}));
}

TEST(MaxUnpool3d, EachVolumeHasIndicesOfItsOwn) {
  // The indices are 0, 1, 2, 3, 0, 1: two of them to each of three volumes.
  constexpr std::string_view kCase =
      "max_unpool3d functional output_depth=2 output_height=1 output_width=2 stride=1 padding=0\n"
      "self float32 (1, 3, 2, 1, 1)\nindices int64 (1, 3, 2, 1, 1) fill=ascending\n";
  EXPECT_EQ(oracle_of(kCase), (List{1, 2, 0, 0, 0, 0, 3, 4, 5, 6, 0, 0}));
  EXPECT_EQ(result_shape_of(kCase), (Dims{1, 3, 2, 1, 2}));
}

TEST(MaxUnpool3d, StrideAndPaddingHaveNoEffect) {
  for (const std::string_view attributes : {"stride=1 padding=0", "stride=3 padding=2"}) {
    EXPECT_EQ(
        oracle_of("max_unpool3d functional output_depth=1 output_height=1 output_width=3 " +
                  std::string(attributes) +
                  "\nself float32 (1, 1, 1, 2)\nindices int64 (1, 1, 1, 2) fill=descending\n"),
        (List{0, 2, 1}));
  }
  const auto error_with = [](std::string_view attributes) {
    return error_of("max_unpool3d functional output_depth=1 output_height=1 output_width=1 " +
                    std::string(attributes) +
                    "\nself float32 (1, 1, 1, 1)\nindices int64 (1, 1, 1, 1) fill=first\n");
  };
  EXPECT_THAT(error_with("stride=0 padding=0"), HasSubstr("stride must be 1"));
  EXPECT_THAT(error_with("stride=1 padding=-1"), HasSubstr("padding must be 0"));
}

TEST(MaxUnpool3d, ABatchMayBeEmpty) {
  constexpr std::string_view kCase =
      "max_unpool3d functional output_depth=1 output_height=2 output_width=3 stride=1 padding=0\n"
      "self float32 (0, 2, 1, 1, 1)\nindices int64 (0, 2, 1, 1, 1) fill=first\n";
  EXPECT_THAT(oracle_of(kCase), IsEmpty());
  EXPECT_EQ(result_shape_of(kCase), (Dims{0, 2, 1, 2, 3}));
}

TEST(MaxUnpool3d, RulesApplyWhereATenLooks) {
  RuleCases rules("max_unpool3d");
  constexpr std::string_view
      kCall = "functional output_depth=1 output_height=2 output_width=3 stride=1 padding=0",
      kOutForm = "out output_depth=1 output_height=2 output_width=3 stride=1 padding=0";
  constexpr std::string_view kVolume =
      "self float32 (1, 1, 2, 2)\nindices int64 (1, 1, 2, 2) fill=first\n";
  constexpr std::string_view kBatch =
      "self float32 (1, 1, 1, 2, 2)\nindices int64 (1, 1, 1, 2, 2) fill=first\n";
  constexpr std::string_view kEmpty =
      "self float32 (0, 1, 2, 2)\nindices int64 (0, 1, 2, 2) fill=first\n";
  const std::string out = std::string(kVolume) + "out float32 (1, 1, 2, 3)\n";
  const std::string resized = std::string(kVolume) + "out float32 (0)\n";
  EXPECT_EQ(rules.applies("index_below", kCall, kVolume).operands[1].poke_value, -1);
  rules.does_not_apply("index_below", kCall, kEmpty);
  EXPECT_EQ(rules.applies("index_above", kCall, kVolume).operands[1].poke_value, 6);
  rules.does_not_apply("index_above", kCall, kEmpty);
  EXPECT_EQ(rules.applies("index_dtype", kCall, kVolume).operands[1].dtype, Dtype::kFloat);
  EXPECT_EQ(rules.applies("indices_shape", kCall, kVolume).operands[1].shape, (Dims{1, 1, 2, 3}));
  rules.does_not_apply("indices_shape", kCall, kEmpty);
  EXPECT_EQ(rules.applies("rank_above", kCall, kBatch).operands[0].shape, (Dims{1, 1, 1, 2, 2, 1}));
  rules.does_not_apply("rank_above", kOutForm, out);
  EXPECT_EQ(rules.applies("rank_below", kCall, kVolume).operands[1].shape, (Dims{1, 1, 2}));
  rules.does_not_apply("rank_below", kCall, kBatch);
  EXPECT_EQ(rules.applies("out_dtype", kOutForm, out).operands[2].dtype, Dtype::kDouble);
  rules.does_not_apply("out_dtype", kCall, kVolume);
  EXPECT_TRUE(has_expanded(rules.applies("out_overlaps_itself", kOutForm, out).operands[2].layout));
  rules.does_not_apply("out_overlaps_itself", kOutForm, resized);
  EXPECT_EQ(rules.applies("index_dtype_narrow", kCall, kVolume).operands[1].dtype, Dtype::kInt16);
  EXPECT_EQ(rules.applies("stride_zero", kCall, kVolume).attributes[3], 0);
  for (const auto& [rule, misfit] : {std::pair("output_size_empty", MisfitList{0, true}),
                                     std::pair("output_size_longer", MisfitList{0, false}),
                                     std::pair("stride_empty", MisfitList{3, true}),
                                     std::pair("stride_longer", MisfitList{3, false}),
                                     std::pair("padding_empty", MisfitList{4, true}),
                                     std::pair("padding_longer", MisfitList{4, false})})
    EXPECT_EQ(rules.applies(rule, kCall, kVolume).misfit_list, misfit) << rule;
  rules.all_tried({"index_dtype", "index_dtype_narrow", "output_size_empty", "output_size_longer",
                   "stride_zero", "stride_empty", "stride_longer", "padding_empty",
                   "padding_longer"});
}

}  // namespace
}  // namespace indexfuzz
