// adaptive_max_pool2d_backward's oracle and rules, by hand.

#include "rule_cases.h"

namespace indexfuzz {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(AdaptiveMaxPool2dBackward, AddsEveryElementToTheNamedOneOfItsPlane) {
  // Windows of three rows over two overlap.
  EXPECT_EQ(oracle_of("adaptive_max_pool2d_backward functional\nself float32 (1, 2, 2)\n"
                      "indices int64 (1, 3, 1) fill=first\ngrad_output float32 (1, 3, 1) "
                      "fill=sums1\n",
                      {bytes_of<float>({9, 9, 9, 9}), bytes_of<std::int64_t>({3, 0, 3}),
                       bytes_of<float>({1, 2, 4})}),
            bytes_of<float>({2, 0, 0, 5}));
}

TEST(AdaptiveMaxPool2dBackward, EachPlaneHasIndicesOfItsOwn) {
  EXPECT_EQ(oracle_of("adaptive_max_pool2d_backward functional\nself float64 (2, 2, 1, 2)\n"
                      "indices int64 (2, 2, 1, 1) fill=first\ngrad_output float64 (2, 2, 1, 1) "
                      "fill=sums1\n",
                      {bytes_of<double>({0, 0, 0, 0, 0, 0, 0, 0}),
                       bytes_of<std::int64_t>({1, 0, 0, 1}), bytes_of<double>({1, 2, 3, 4})}),
            bytes_of<double>({0, 1, 2, 0, 3, 0, 0, 4}));
}

TEST(AdaptiveMaxPool2dBackward, ABatchMayBeEmptyAndNothingElse) {
  constexpr std::string_view kCase =
      "adaptive_max_pool2d_backward functional\nself float32 (0, 2, 3, 3)\n"
      "indices int64 (0, 2, 2, 2) fill=first\ngrad_output float32 (0, 2, 2, 2) fill=sums1\n";
  EXPECT_THAT(oracle_of(kCase), IsEmpty());
  EXPECT_EQ(result_shape_of(kCase), (Dims{0, 2, 3, 3}));
  EXPECT_THAT(error_of("adaptive_max_pool2d_backward functional\nself float32 (0, 1, 1)\n"
                       "indices int64 (0, 1, 1) fill=first\ngrad_output float32 (0, 1, 1) "
                       "fill=sums1\n"),
              HasSubstr("self: its shape must be (1, 1, 1)"));
  EXPECT_THAT(error_of("adaptive_max_pool2d_backward functional\nself float32 (1, 0, 3)\n"
                       "indices int64 (1, 1, 1) fill=first\ngrad_output float32 (1, 1, 1) "
                       "fill=sums1\n"),
              HasSubstr("self: its shape must be (1, 1, 3)"));
  EXPECT_THAT(error_of("adaptive_max_pool2d_backward functional\nself float32 (1, 2, 2)\n"
                       "indices int64 (1, 0, 1) fill=first\ngrad_output float32 (1, 0, 1) "
                       "fill=sums1\n"),
              HasSubstr("indices: its shape must be (1, 1, 1)"));
}

TEST(AdaptiveMaxPool2dBackward, GradOutputHasIndicesShapeAndSelfsDtype) {
  EXPECT_THAT(error_of("adaptive_max_pool2d_backward functional\nself float32 (1, 2, 2)\n"
                       "indices int64 (1, 1, 1) fill=first\ngrad_output float32 (1, 1, 2) "
                       "fill=sums1\n"),
              HasSubstr("grad_output: its shape must be (1, 1, 1)"));
  EXPECT_THAT(error_of("adaptive_max_pool2d_backward functional\nself float32 (2, 2, 2)\n"
                       "indices int64 (1, 1, 1) fill=first\ngrad_output float32 (1, 1, 1) "
                       "fill=sums1\n"),
              HasSubstr("indices: its shape must be (2, 1, 1)"));
  EXPECT_THAT(error_of("adaptive_max_pool2d_backward functional\nself float32 (1, 2, 2)\n"
                       "indices int64 (1, 1, 1) fill=first\ngrad_output float64 (1, 1, 1) "
                       "fill=sums1\n"),
              HasSubstr("grad_output: its dtype must be float32"));
  EXPECT_THAT(error_of("adaptive_max_pool2d_backward functional\nself float32 (1, 2, 2)\n"
                       "indices int32 (1, 1, 1) fill=first\ngrad_output float32 (1, 1, 1) "
                       "fill=sums1\n"),
              HasSubstr("indices: its dtype must be int64"));
}

TEST(AdaptiveMaxPool2dBackward, WindowsThatDoNotOverlapNameNoElementTwice) {
  const auto error_with = [](std::string_view shape, std::string_view fill) {
    return error_of(
        "adaptive_max_pool2d_backward functional\nself float32 (1, 4, 3)\n"
        "indices int64 (1, " +
        std::string(shape) + ") fill=" + std::string(fill) + "\ngrad_output float32 (1, " +
        std::string(shape) + ") fill=sums1\n");
  };
  // A single window lies beside no other.
  EXPECT_EQ(error_with("1, 1", "first"), "");
  EXPECT_THAT(error_with("2, 1", "first"), HasSubstr("it needs fill=distinct1 here"));
  EXPECT_THAT(error_with("2, 3", "random1"), HasSubstr("it needs fill=distinct1 here"));
  EXPECT_EQ(error_with("2, 3", "distinct1"), "");
  EXPECT_EQ(error_with("2, 3", "descending"), "");
  EXPECT_THAT(error_with("2, 3", "descending expanded=(1)"), HasSubstr("expanded"));
  // Three windows over four rows, and two over three columns, overlap.
  EXPECT_EQ(error_with("3, 1", "first"), "");
  EXPECT_EQ(error_with("1, 2", "first"), "");
}

TEST(AdaptiveMaxPool2dBackward, DistinctIndicesAreDistinctInEveryPlane) {
  const Expectation e = expectation(
      written("adaptive_max_pool2d_backward functional\nself float32 (7, 2, 3)\n"
              "indices int64 (7, 2, 1) fill=distinct1 seed=4\ngrad_output float32 (7, 2, 1) "
              "fill=sums1\n"));
  const std::vector<std::int64_t> indices = bits_of<std::int64_t>(e.operands[1]);
  for (std::size_t i = 0; i < indices.size(); i += 2) EXPECT_NE(indices[i], indices[i + 1]) << i;
}

TEST(AdaptiveMaxPool2dBackward, RulesApplyWhereSomethingIsAdded) {
  RuleCases rules("adaptive_max_pool2d_backward");
  constexpr std::string_view kCall = "functional", kOutForm = "out";
  constexpr std::string_view kPlanes =
      "self float32 (2, 2, 3)\nindices int64 (2, 1, 2) fill=first\n"
      "grad_output float32 (2, 1, 2) fill=sums1\n";
  constexpr std::string_view kPlane =
      "self float32 (1, 2, 3)\nindices int64 (1, 1, 2) fill=first\n"
      "grad_output float32 (1, 1, 2) fill=sums1\n";
  constexpr std::string_view kBatch =
      "self float32 (2, 1, 2, 3)\nindices int64 (2, 1, 1, 2) fill=first\n"
      "grad_output float32 (2, 1, 1, 2) fill=sums1\n";
  constexpr std::string_view kNoPlanes =
      "self float32 (0, 1, 2, 3)\nindices int64 (0, 1, 1, 2) fill=first\n"
      "grad_output float32 (0, 1, 1, 2) fill=sums1\n";
  const std::string out = std::string(kPlanes) + "out float32 (2, 2, 3)\n";
  const std::string resized = std::string(kPlanes) + "out float32 (0)\n";

  EXPECT_EQ(rules.applies("index_below", kCall, kPlanes).operands[1].poke_value, -1);
  EXPECT_EQ(rules.applies("index_above", kCall, kPlanes).operands[1].poke_value, 6);
  EXPECT_EQ(rules.applies("index_dtype", kCall, kPlanes).operands[1].dtype, Dtype::kFloat);
  EXPECT_EQ(rules.applies("index_dtype_narrow", kCall, kPlanes).operands[1].dtype, Dtype::kInt16);
  EXPECT_EQ(rules.applies("indices_shape", kCall, kPlanes).operands[1].shape, (Dims{2, 1, 3}));
  EXPECT_EQ(rules.applies("grad_dtype", kCall, kPlanes).operands[2].dtype, Dtype::kInt32);
  for (const std::size_t operand : {1, 2}) {
    const auto shape_after = [&](std::string_view rule, std::string_view operands) {
      return rules.applies(rule, kCall, operands).operands[operand].shape;
    };
    EXPECT_EQ(shape_after("planes_above", kPlanes), (Dims{3, 1, 2}));
    EXPECT_EQ(shape_after("planes_below", kPlanes), (Dims{1, 1, 2}));
    EXPECT_EQ(shape_after("grad_rank", kPlanes), (Dims{2, 1, 2, 1}));
    EXPECT_EQ(shape_after("grad_rank", kBatch), (Dims{2, 1, 1}));
    EXPECT_EQ(shape_after("grad_empty", kPlanes), (Dims{2, 1, 0}));
    EXPECT_EQ(shape_after("rank_above", kBatch), (Dims{2, 1, 1, 2, 1}));
    EXPECT_EQ(shape_after("rank_below", kPlanes), (Dims{2, 1}));
  }
  EXPECT_EQ(rules.applies("rank_above", kCall, kPlanes).operands[0].shape, (Dims{2, 2, 3, 1, 1}));
  EXPECT_EQ(rules.applies("rank_below", kCall, kPlanes).operands[0].shape, (Dims{2, 2}));
  EXPECT_EQ(rules.applies("self_empty", kCall, kPlanes).operands[0].shape, (Dims{2, 2, 0}));
  EXPECT_EQ(rules.applies("out_dtype", kOutForm, out).operands[3].dtype, Dtype::kDouble);
  EXPECT_TRUE(has_expanded(rules.applies("out_overlaps_itself", kOutForm, out).operands[3].layout));

  for (const std::string_view rule : {"index_below", "index_above", "indices_shape", "planes_above",
                                      "planes_below", "grad_rank", "grad_empty", "self_empty"})
    rules.does_not_apply(rule, kCall, kNoPlanes);
  rules.does_not_apply("planes_below", kCall, kPlane);
  rules.does_not_apply("rank_above", kOutForm, out);
  rules.does_not_apply("rank_below", kOutForm, out);
  rules.does_not_apply("rank_below", kCall, kBatch);
  rules.does_not_apply("self_empty", kOutForm, out);
  rules.does_not_apply("out_dtype", kCall, kPlanes);
  rules.does_not_apply("out_overlaps_itself", kOutForm, resized);
  rules.all_tried({"index_dtype", "index_dtype_narrow", "grad_dtype"});
}

}  // namespace
}  // namespace indexfuzz
