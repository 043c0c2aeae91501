// max_pool3d_with_indices' oracle, windows and rules, by hand. What it shares with the pooling of
// planes stands in max_pool2d_with_indices_test.cpp. self holds 1, 2, 3, … in row-major order.

#include <limits>

#include "rule_cases.h"

namespace indexfuzz {
namespace {

using ::testing::HasSubstr;
using List = std::vector<double>;

std::string case_with(std::string_view result, std::string_view call, std::string_view self) {
  return "max_pool3d_with_indices." + std::string(result) + " functional " + std::string(call) +
         "\nself " + std::string(self) + "\n";
}

TEST(MaxPool3dWithIndices, ReturnsTheLargestElementAndItsPlace) {
  // Windows of 2 x 1 x 2 over a volume of 3 x 2 x 3, whose slices have six elements.
  constexpr std::string_view kCall =
      "window_depth=2 window_height=1 window_width=2 stride=1 padding=0 dilation=1";
  EXPECT_EQ(oracle_of(case_with("values", kCall, "float32 (1, 3, 2, 3)")),
            (List{8, 9, 11, 12, 14, 15, 17, 18}));
  EXPECT_EQ(oracle_of(case_with("indices", kCall, "float32 (1, 3, 2, 3)")),
            (List{7, 8, 10, 11, 13, 14, 16, 17}));
  EXPECT_EQ(result_shape_of(case_with("indices", kCall, "float32 (1, 3, 2, 3)")),
            (Dims{1, 2, 2, 2}));
}

TEST(MaxPool3dWithIndices, CountsPlacesInEachVolume) {
  constexpr std::string_view kCall =
      "window_depth=2 window_height=1 window_width=1 stride=1 padding=0 dilation=1";
  EXPECT_EQ(oracle_of(case_with("indices", kCall, "float32 (2, 2, 2, 1, 2)")),
            (List{2, 3, 2, 3, 2, 3, 2, 3}));
}

TEST(MaxPool3dWithIndices, AWindowMayHoldPaddingAlone) {
  constexpr std::string_view kCall =
      "window_depth=2 window_height=2 window_width=2 stride=1 padding=1 dilation=2";
  // The places of both windows along a dimension of 1 are -1 and 1.
  EXPECT_EQ(oracle_of(case_with("values", kCall, "float32 (1, 1, 1, 1)")),
            List{-std::numeric_limits<double>::infinity()});
  EXPECT_EQ(oracle_of(case_with("indices", kCall, "float32 (1, 1, 1, 1)")), List{0});
}

TEST(MaxPool3dWithIndices, OneStrideLeadsAlongAllDimensions) {
  const auto error_with = [](std::string_view rest) {
    return error_of(case_with("values",
                              "window_depth=1 window_height=2 window_width=2 " + std::string(rest),
                              "float32 (1, 1, 4, 5)"));
  };
  EXPECT_EQ(error_with("stride=5 padding=0 dilation=1"), "");
  EXPECT_THAT(error_with("stride=6 padding=0 dilation=1"), HasSubstr("stride must be 5"));
  // A window of one slice is padded by none.
  EXPECT_THAT(error_with("stride=2 padding=1 dilation=1"), HasSubstr("padding must be 0"));
}

TEST(MaxPool3dWithIndices, RulesChangeTheLastOfTheThreeDimensions) {
  RuleCases rules("max_pool3d_with_indices");
  constexpr std::string_view kCall =
      ".indices functional window_depth=1 window_height=1 window_width=2 stride=1 padding=0 "
      "dilation=1";
  constexpr std::string_view kVolumes = "self float32 (2, 1, 2, 3)\n";
  EXPECT_EQ(rules.applies("window_zero", kCall, kVolumes).attributes[2], 0);
  EXPECT_EQ(rules.applies("window_above", kCall, kVolumes).attributes[2], 6);
  EXPECT_EQ(rules.applies("stride_zero", kCall, kVolumes).attributes[3], 0);
  EXPECT_EQ(rules.applies("self_empty", kCall, kVolumes).operands[0].shape, (Dims{2, 1, 2, 0}));
  EXPECT_EQ(rules.applies("rank_below", kCall, kVolumes).operands[0].shape, (Dims{2, 1, 2}));
  for (const auto& [rule, misfit] : {std::pair("kernel_size_longer", MisfitList{0, false}),
                                     std::pair("stride_longer", MisfitList{3, false}),
                                     std::pair("padding_empty", MisfitList{4, true})})
    EXPECT_EQ(rules.applies(rule, kCall, kVolumes).misfit_list, misfit) << rule;
}

}  // namespace
}  // namespace indexfuzz
