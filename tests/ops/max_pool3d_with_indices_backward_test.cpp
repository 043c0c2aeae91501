// max_pool3d_with_indices_backward's oracle, windows and rules, by hand. What it shares with the
// pooling of planes stands in max_pool2d_with_indices_backward_test.cpp.

#include <fmt/format.h>

#include "rule_cases.h"

namespace indexfuzz {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(MaxPool3dWithIndicesBackward, AddsEveryElementToTheNamedOneOfItsVolume) {
  // Windows of 2 over 3 elements, one element apart.
  EXPECT_EQ(oracle_of("max_pool3d_with_indices_backward functional window_depth=1 window_height=1 "
                      "window_width=2 stride=1 padding=0 dilation=1\n"
                      "self float32 (2, 1, 1, 3)\nindices int64 (2, 1, 1, 2) fill=first\n"
                      "grad_output float32 (2, 1, 1, 2) fill=sums1\n",
                      {bytes_of<float>({9, 9, 9, 9, 9, 9}), bytes_of<std::int64_t>({1, 1, 0, 2}),
                       bytes_of<float>({1, 2, 4, 8})}),
            bytes_of<float>({0, 3, 0, 4, 0, 8}));
}

/// A case with one volume of `self`, and one of windows over it.
std::string case_with(std::string_view call, std::string_view self, std::string_view windows,
                      std::string_view fill) {
  return fmt::format(
      "max_pool3d_with_indices_backward functional {}\nself float32 (1, {})\n"
      "indices int64 (1, {}) fill={}\ngrad_output float32 (1, {}) fill=sums1\n",
      call, self, windows, fill, windows);
}

TEST(MaxPool3dWithIndicesBackward, IndicesNameElementsOfTheirWindows) {
  const auto indices_with = [](std::string_view fill) {
    // Windows of 2 x 1 x 2 that begin two elements apart, over a volume of 4 x 2 x 3.
    return bits_of<std::int64_t>(
        expectation(written(case_with("window_depth=2 window_height=1 window_width=2 stride=2 "
                                      "padding=0 dilation=1",
                                      "4, 2, 3", "2, 1, 1", fill)))
            .operands[1]);
  };
  EXPECT_THAT(indices_with("first"), ElementsAre(0, 12));
  // Element 23 lies in the last slice, row 1 and column 2, which the first window lacks.
  EXPECT_THAT(indices_with("last"), ElementsAre(6, 18));
  EXPECT_THAT(indices_with("ascending"), ElementsAre(0, 13));
}

TEST(MaxPool3dWithIndicesBackward, OneStrideLeadsAlongAllDimensions) {
  const auto error_with = [](std::string_view call, std::string_view windows) {
    return error_of(case_with(call, "1, 4, 5", windows, "first"));
  };
  constexpr std::string_view kWindow = "window_depth=1 window_height=2 window_width=2 ";
  const auto call_with = [&](std::string_view rest) { return std::string(kWindow) + rest.data(); };
  EXPECT_EQ(error_with(call_with("stride=2 padding=0 dilation=1"), "1, 2, 2"), "");
  EXPECT_EQ(error_with(call_with("stride=5 padding=0 dilation=1"), "1, 1, 1"), "");
  EXPECT_THAT(error_with(call_with("stride=6 padding=0 dilation=1"), "1, 1, 1"),
              HasSubstr("stride must be 5"));
  // A window of one slice is padded by none.
  EXPECT_THAT(error_with(call_with("stride=2 padding=1 dilation=1"), "1, 2, 2"),
              HasSubstr("padding must be 0"));
  // The window of one slice has no gaps, but two padded ones would lie beside the only slice.
  EXPECT_EQ(error_with(call_with("stride=2 padding=0 dilation=2"), "1, 1, 2"), "");
  EXPECT_THAT(error_with("window_depth=2 window_height=2 window_width=2 stride=2 padding=1 "
                         "dilation=2",
                         "1, 2, 3"),
              HasSubstr("dilation must be 1"));
}

TEST(MaxPool3dWithIndicesBackward, RulesChangeTheLastOfTheThreeDimensions) {
  RuleCases rules("max_pool3d_with_indices_backward");
  constexpr std::string_view kCall =
      "functional window_depth=1 window_height=1 window_width=2 stride=1 padding=0 dilation=1";
  constexpr std::string_view kVolumes =
      "self float32 (2, 1, 2, 3)\nindices int64 (2, 1, 2, 2) fill=first\n"
      "grad_output float32 (2, 1, 2, 2) fill=sums1\n";
  const std::size_t width = 2, stride = 3, dilation = 5;
  EXPECT_EQ(rules.applies("index_above", kCall, kVolumes).operands[1].poke_value, 6);
  EXPECT_EQ(rules.applies("window_zero", kCall, kVolumes).attributes[width], 0);
  EXPECT_EQ(rules.applies("window_zero", kCall, kVolumes).operands[2].shape, (Dims{2, 1, 2, 4}));
  EXPECT_EQ(rules.applies("stride_zero", kCall, kVolumes).attributes[stride], 0);
  EXPECT_EQ(rules.applies("dilation_zero", kCall, kVolumes).attributes[dilation], 0);
  EXPECT_EQ(rules.applies("windows_above", kCall, kVolumes).operands[1].shape, (Dims{2, 1, 2, 3}));
  for (const auto& [rule, misfit] : {std::pair("kernel_size_longer", MisfitList{0, false}),
                                     std::pair("stride_longer", MisfitList{3, false}),
                                     std::pair("padding_empty", MisfitList{4, true})})
    EXPECT_EQ(rules.applies(rule, kCall, kVolumes).misfit_list, misfit) << rule;
}

}  // namespace
}  // namespace indexfuzz
