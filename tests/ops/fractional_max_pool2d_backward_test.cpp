// fractional_max_pool2d_backward's oracle, sizes and rules, by hand. What it shares with adaptive
// pooling stands in adaptive_max_pool2d_backward_test.cpp.

#include "rule_cases.h"

namespace indexfuzz {
namespace {

using ::testing::HasSubstr;

TEST(FractionalMaxPool2dBackward, AddsEveryElementToTheNamedOneOfItsPlane) {
  // Windows of 2 over 3 elements, one element apart.
  EXPECT_EQ(oracle_of("fractional_max_pool2d_backward functional window_height=1 window_width=2 "
                      "output_height=1 output_width=2\n"
                      "self float32 (2, 1, 3)\nindices int64 (2, 1, 2) fill=first\n"
                      "grad_output float32 (2, 1, 2) fill=sums1\n",
                      {bytes_of<float>({9, 9, 9, 9, 9, 9}), bytes_of<std::int64_t>({1, 1, 0, 2}),
                       bytes_of<float>({1, 2, 4, 8})}),
            bytes_of<float>({0, 3, 0, 4, 0, 8}));
}

/// What is wrong with windows over a plane of 4 x 5; "" if nothing is.
std::string error_with(std::string_view windows, std::string_view shape, std::string_view fill) {
  const std::string operands = " (1, " + std::string(shape) + ") fill=";
  return error_of("fractional_max_pool2d_backward functional " + std::string(windows) +
                  "\nself float32 (1, 4, 5)\nindices int64" + operands + std::string(fill) +
                  "\ngrad_output float32" + operands + "sums1\n");
}

TEST(FractionalMaxPool2dBackward, AWindowFitsAsOftenAsThereAreWindows) {
  EXPECT_EQ(
      error_with("window_height=2 window_width=3 output_height=3 output_width=3", "3, 3", "first"),
      "");
  EXPECT_THAT(
      error_with("window_height=3 window_width=3 output_height=3 output_width=3", "3, 3", "first"),
      HasSubstr("window_height must be 2"));
  EXPECT_THAT(
      error_with("window_height=1 window_width=0 output_height=3 output_width=3", "3, 3", "first"),
      HasSubstr("window_width must be 1"));
  EXPECT_THAT(
      error_with("window_height=2 window_width=3 output_height=2 output_width=3", "3, 3", "first"),
      HasSubstr("output_height must be 3"));
}

TEST(FractionalMaxPool2dBackward, WindowsThatDoNotOverlapNameNoElementTwice) {
  // Two windows of 2 over 4 rows, and two over 5 columns, lie apart wherever they are.
  constexpr std::string_view kApart =
      "window_height=2 window_width=2 output_height=2 output_width=2";
  EXPECT_THAT(error_with(kApart, "2, 2", "first"), HasSubstr("it needs fill=distinct1 here"));
  EXPECT_EQ(error_with(kApart, "2, 2", "distinct1"), "");
  // Two of 3 rows overlap, and so may three of 2 columns.
  EXPECT_EQ(
      error_with("window_height=3 window_width=2 output_height=2 output_width=2", "2, 2", "first"),
      "");
  EXPECT_EQ(
      error_with("window_height=2 window_width=2 output_height=2 output_width=3", "2, 3", "first"),
      "");
}

TEST(FractionalMaxPool2dBackward, TheOutputSizeMustBeThatOfGradOutput) {
  RuleCases rules("fractional_max_pool2d_backward");
  constexpr std::string_view kCall =
      "functional window_height=1 window_width=2 output_height=1 output_width=2";
  constexpr std::string_view kPlanes =
      "self float32 (2, 2, 3)\nindices int64 (2, 1, 2) fill=first\n"
      "grad_output float32 (2, 1, 2) fill=sums1\n";
  const std::size_t width = 3;
  EXPECT_EQ(rules.applies("output_size", kCall, kPlanes).attributes[width], 3);
  EXPECT_EQ(rules.applies("output_size", kCall, kPlanes).operands[2].shape, (Dims{2, 1, 2}));
  for (const auto& [rule, misfit] : {std::pair("output_size_empty", MisfitList{2, true}),
                                     std::pair("output_size_longer", MisfitList{2, false})})
    EXPECT_EQ(rules.applies(rule, kCall, kPlanes).misfit_list, misfit) << rule;
}

}  // namespace
}  // namespace indexfuzz
