// adaptive_max_pool3d_backward's oracle and rules, by hand. What it shares with two dimensions
// stands in adaptive_max_pool2d_backward_test.cpp.

#include "rule_cases.h"

namespace indexfuzz {
namespace {

using ::testing::HasSubstr;

TEST(AdaptiveMaxPool3dBackward, AddsEveryElementToTheNamedOneOfItsVolume) {
  // Two volumes of 2 x 1 x 2; windows of three rows over two overlap.
  EXPECT_EQ(oracle_of("adaptive_max_pool3d_backward functional\nself float32 (2, 2, 1, 2)\n"
                      "indices int64 (2, 3, 1, 1) fill=first\n"
                      "grad_output float32 (2, 3, 1, 1) fill=sums1\n",
                      {bytes_of<float>({9, 9, 9, 9, 9, 9, 9, 9}),
                       bytes_of<std::int64_t>({3, 0, 3, 1, 1, 2}),
                       bytes_of<float>({1, 2, 4, 8, 16, 32})}),
            bytes_of<float>({2, 0, 0, 5, 0, 24, 32, 0}));
}

TEST(AdaptiveMaxPool3dBackward, EachVolumeOfABatchHasIndicesOfItsOwn) {
  EXPECT_EQ(oracle_of("adaptive_max_pool3d_backward functional\nself float64 (2, 1, 1, 1, 2)\n"
                      "indices int64 (2, 1, 1, 1, 1) fill=first\n"
                      "grad_output float64 (2, 1, 1, 1, 1) fill=sums1\n",
                      {bytes_of<double>({0, 0, 0, 0}), bytes_of<std::int64_t>({1, 0}),
                       bytes_of<double>({1, 2})}),
            bytes_of<double>({0, 1, 2, 0}));
}

TEST(AdaptiveMaxPool3dBackward, OnlyABatchMayBeEmpty) {
  constexpr std::string_view kCase =
      "adaptive_max_pool3d_backward functional\nself float32 (0, 2, 3, 3, 1)\n"
      "indices int64 (0, 2, 2, 2, 1) fill=first\ngrad_output float32 (0, 2, 2, 2, 1) fill=sums1\n";
  EXPECT_EQ(result_shape_of(kCase), (Dims{0, 2, 3, 3, 1}));
  EXPECT_THAT(error_of("adaptive_max_pool3d_backward functional\nself float32 (0, 1, 1, 1)\n"
                       "indices int64 (0, 1, 1, 1) fill=first\ngrad_output float32 (0, 1, 1, 1) "
                       "fill=sums1\n"),
              HasSubstr("self: its shape must be (1, 1, 1, 1)"));
}

TEST(AdaptiveMaxPool3dBackward, WindowsThatDoNotOverlapNameNoElementTwice) {
  const auto error_with = [](std::string_view shape, std::string_view fill) {
    return error_of(
        "adaptive_max_pool3d_backward functional\nself float32 (1, 4, 3, 2)\n"
        "indices int64 (1, " +
        std::string(shape) + ") fill=" + std::string(fill) + "\ngrad_output float32 (1, " +
        std::string(shape) + ") fill=sums1\n");
  };
  EXPECT_THAT(error_with("2, 3, 2", "first"), HasSubstr("it needs fill=distinct1 here"));
  EXPECT_EQ(error_with("2, 3, 2", "distinct1"), "");
  // In any one dimension they may overlap.
  EXPECT_EQ(error_with("3, 3, 2", "first"), "");
  EXPECT_EQ(error_with("2, 2, 2", "first"), "");
  EXPECT_EQ(error_with("2, 3, 3", "first"), "");
}

TEST(AdaptiveMaxPool3dBackward, RulesCountTheDimensionsOfAVolume) {
  RuleCases rules("adaptive_max_pool3d_backward");
  constexpr std::string_view kCall = "functional";
  constexpr std::string_view kVolumes =
      "self float32 (2, 2, 3, 1)\nindices int64 (2, 1, 2, 1) fill=first\n"
      "grad_output float32 (2, 1, 2, 1) fill=sums1\n";
  constexpr std::string_view kBatch =
      "self float32 (2, 1, 2, 3, 1)\nindices int64 (2, 1, 1, 2, 1) fill=first\n"
      "grad_output float32 (2, 1, 1, 2, 1) fill=sums1\n";

  EXPECT_EQ(rules.applies("index_above", kCall, kVolumes).operands[1].poke_value, 6);
  EXPECT_EQ(rules.applies("planes_above", kCall, kVolumes).operands[2].shape, (Dims{3, 1, 2, 1}));
  EXPECT_EQ(rules.applies("grad_rank", kCall, kVolumes).operands[2].shape, (Dims{2, 1, 2, 1, 1}));
  EXPECT_EQ(rules.applies("grad_rank", kCall, kBatch).operands[2].shape, (Dims{2, 1, 1, 2}));
  EXPECT_EQ(rules.applies("rank_above", kCall, kBatch).operands[0].shape, (Dims{2, 1, 2, 3, 1, 1}));
  EXPECT_EQ(rules.applies("rank_below", kCall, kVolumes).operands[0].shape, (Dims{2, 2, 3}));
  rules.does_not_apply("rank_below", kCall, kBatch);
}

}  // namespace
}  // namespace indexfuzz
