// embedding_dense_backward's oracle and rules, by hand. grad_output holds -1, -2, -3, … in
// row-major order.

#include <fmt/format.h>

#include <cstring>

#include "rule_cases.h"

namespace indexfuzz {
namespace {

using List = std::vector<double>;

TEST(EmbeddingDenseBackward, AddsEveryRowToTheNamedOne) {
  // indices 0, 1, 2, 0: four rows of two.
  EXPECT_EQ(oracle_of("embedding_dense_backward functional num_weights=3 padding_idx=-1\nindices "
                      "int64 (4) fill=ascending\ngrad_output int32 (4, 2)\n"),
            (List{-1 - 7, -2 - 8, -3, -4, -5, -6}));
  EXPECT_EQ(oracle_of("embedding_dense_backward functional num_weights=2 padding_idx=-1\nindices "
                      "int32 (2, 2) fill=last\ngrad_output int64 (2, 2, 1)\n"),
            (List{0, -1 - 2 - 3 - 4}));
}

TEST(EmbeddingDenseBackward, TheRowOfPaddingIdxGetsNothing) {
  EXPECT_EQ(oracle_of("embedding_dense_backward functional num_weights=3 padding_idx=1\nindices "
                      "int64 (3) fill=ascending\ngrad_output int32 (3, 1)\n"),
            (List{-1, 0, -3}));
}

TEST(EmbeddingDenseBackward, ARowMayBeScaledByHowOftenItIsNamed) {
  EXPECT_EQ(
      oracle_of("embedding_dense_backward functional num_weights=2 padding_idx=-1 "
                "scale_grad_by_freq=true\nindices int64 (4) fill=first\ngrad_output float32 (4, 1) "
                "fill=sums1\n",
                {bytes_of<std::int64_t>({0, 0, 0, 0}), bytes_of<float>({1, 2, 3, 5})}),
      bytes_of<float>({11.0f / 4, 0}));
  // Three times is no power of two, and an integer has no fractions.
  EXPECT_THAT(error_of("embedding_dense_backward functional num_weights=2 padding_idx=-1 "
                       "scale_grad_by_freq=true\nindices int64 (3) fill=first\ngrad_output float32 "
                       "(3, 1) fill=sums1\n"),
              ::testing::HasSubstr("indices: its shape must be (2)"));
  EXPECT_THAT(error_of("embedding_dense_backward functional num_weights=2 padding_idx=-1 "
                       "scale_grad_by_freq=true\nindices int64 (2) fill=first\ngrad_output int64 "
                       "(2, 1)\n"),
              ::testing::HasSubstr("scale_grad_by_freq"));
}

TEST(EmbeddingDenseBackward, AZeroHasTwoSignsButInFormatsWithoutMinusZero) {
  const auto right_zeros = [](std::string_view dtype) {
    return expectation(written(fmt::format(
                           "embedding_dense_backward functional num_weights=2 padding_idx=-1 "
                           "scale_grad_by_freq=false\nindices int64 (1) fill=last\n"
                           "grad_output {} (1, 1) fill=sums1\n",
                           dtype)))
        .admissible[0]
        .size();
  };
  EXPECT_EQ(right_zeros("float32"), 2u);
  EXPECT_EQ(right_zeros("float8_e4m3fn"), 2u);
  EXPECT_EQ(right_zeros("float8_e4m3fnuz"), 0u);
  EXPECT_EQ(right_zeros("float8_e5m2fnuz"), 0u);
}

TEST(EmbeddingDenseBackward, ALoneRowIsScaledByAnyNumber) {
  const Expectation right = expectation(
      written("embedding_dense_backward functional num_weights=2 padding_idx=-1 "
              "scale_grad_by_freq=true\nindices int64 (3) fill=last\ngrad_output float32 (3, 1) "
              "fill=lone1\n"));
  float grad = 0, quotient = 0;
  std::memcpy(&grad, right.operands[1].data(), sizeof grad);
  std::memcpy(&quotient, right.values.data() + sizeof quotient, sizeof quotient);
  EXPECT_NE(grad, 0);
  EXPECT_EQ(quotient, grad / 3);
  // The neighbours of what is divided, and both zeros.
  ASSERT_EQ(right.admissible.size(), 2u);
  EXPECT_EQ(right.admissible[0].size(), 2u);
  EXPECT_EQ(right.admissible[1].size(), 3u);
  EXPECT_THAT(error_of("embedding_dense_backward functional num_weights=2 padding_idx=-1 "
                       "scale_grad_by_freq=true\nindices int64 (3) fill=last\ngrad_output float32 "
                       "(3, 1) fill=lone1 expanded=(0)\n"),
              ::testing::Not(""));
}

TEST(EmbeddingDenseBackward, OfNoIndexOrNoRow) {
  EXPECT_EQ(oracle_of("embedding_dense_backward functional num_weights=2 padding_idx=-1\nindices "
                      "int64 (0) fill=first\ngrad_output int64 (0, 2)\n"),
            (List{0, 0, 0, 0}));
  EXPECT_EQ(result_shape_of("embedding_dense_backward functional padding_idx=-1\nindices int64 (0) "
                            "fill=first\ngrad_output int64 (0, 2)\n"),
            (Dims{0, 2}));
}

TEST(EmbeddingDenseBackward, RulesApplyWhereATenLooks) {
  RuleCases rules("embedding_dense_backward");
  constexpr std::string_view kCall = "functional num_weights=3 padding_idx=-1";
  constexpr std::string_view kPlain =
      "indices int64 (2) fill=first\ngrad_output float32 (2, 2) fill=sums1\n";
  constexpr std::string_view kEmpty =
      "indices int64 (0) fill=first\ngrad_output float32 (0, 2) fill=sums1\n";
  constexpr std::string_view kOutCall = "out num_weights=3 padding_idx=-1";
  const std::string out = std::string(kPlain) + "out float32 (3, 2)\n";
  EXPECT_EQ(rules.applies("index_below", kCall, kPlain).operands[0].poke_value, -1);
  EXPECT_EQ(rules.applies("index_above", kCall, kPlain).operands[0].poke_value, 3);
  EXPECT_EQ(rules.applies("index_dtype", kCall, kPlain).operands[0].dtype, Dtype::kFloat);
  EXPECT_EQ(rules.applies("index_dtype_narrow", kCall, kPlain).operands[0].dtype, Dtype::kInt16);
  EXPECT_EQ(rules.applies("grad_rows", kCall, kPlain).operands[1].shape, (Dims{3, 2}));
  for (const std::string_view rule : {"index_below", "index_above", "grad_rows"})
    rules.does_not_apply(rule, kCall, kEmpty);
  EXPECT_EQ(rules.applies("out_dtype", kOutCall, out).operands[2].dtype, Dtype::kDouble);
  rules.does_not_apply("out_dtype", kCall, kPlain);
  EXPECT_TRUE(has_expanded(rules.applies("out_overlaps_itself", kOutCall, out).operands[2].layout));
  rules.does_not_apply("out_overlaps_itself", kCall, kPlain);
  rules.all_tried({"index_dtype", "index_dtype_narrow"});
}

}  // namespace
}  // namespace indexfuzz
