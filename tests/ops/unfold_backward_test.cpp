// unfold_backward's oracle, windows and rules, by hand.

#include <fmt/format.h>

#include "rule_cases.h"

namespace indexfuzz {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string case_with(std::string_view call, std::string_view grad) {
  return fmt::format("unfold_backward functional {}\ngrad_in {} fill=sums1\n", call, grad);
}

TEST(UnfoldBackward, WindowsThatOverlapAreAdded) {
  // Windows (0, 1, 2) and (2, 3, 4) of six elements.
  EXPECT_EQ(oracle_of(case_with("dim=0 length=6 size=3 step=2", "float32 (2, 3)"),
                      {bytes_of<float>({1, 2, 4, 8, 16, 32})}),
            bytes_of<float>({1, 2, 4 + 8, 16, 32, 0}));
}

TEST(UnfoldBackward, WhatLiesBetweenWindowsIsZero) {
  EXPECT_EQ(oracle_of(case_with("dim=-1 length=5 size=1 step=3", "int16 (2, 2, 1)"),
                      {bytes_of<std::int16_t>({1, 2, 4, 8})}),
            bytes_of<std::int16_t>({1, 0, 0, 2, 0, 4, 0, 0, 8, 0}));
}

TEST(UnfoldBackward, ElementsOfAWindowLieBehindTheOtherDimensions) {
  // Two windows of rows: (0, 1) and (1, 2), each of two columns.
  EXPECT_EQ(oracle_of(case_with("dim=0 length=3 size=2 step=1", "float64 (2, 2, 2)"),
                      {bytes_of<double>({1, 2, 4, 8, 16, 32, 64, 128})}),
            bytes_of<double>({1, 4, 2 + 16, 8 + 64, 32, 128}));
}

TEST(UnfoldBackward, IntegersWrapAndBoolsAreOred) {
  EXPECT_EQ(oracle_of(case_with("dim=0 length=3 size=2 step=1", "uint8 (2, 2)"),
                      {bytes_of<std::uint8_t>({1, 200, 100, 2})}),
            bytes_of<std::uint8_t>({1, 44, 2}));
  EXPECT_EQ(oracle_of(case_with("dim=0 length=3 size=2 step=1", "bool (2, 2)"),
                      {bytes_of<std::uint8_t>({0, 1, 1, 0})}),
            bytes_of<std::uint8_t>({0, 1, 0}));
}

TEST(UnfoldBackward, OneElementWithoutDimensionsIsAWindow) {
  EXPECT_EQ(
      oracle_of(case_with("dim=-1 length=1 size=1 step=1", "float32 (1)"), {bytes_of<float>({3})}),
      bytes_of<float>({3}));
  EXPECT_EQ(result_shape_of(case_with("dim=0 length=1 size=0 step=2", "float32 (0)")), Dims{});
}

TEST(UnfoldBackward, EmptyWindowsLeaveZeros) {
  EXPECT_EQ(oracle_of(case_with("dim=0 length=3 size=0 step=2", "float32 (2, 0)"), {{}}),
            bytes_of<float>({0, 0, 0}));
  EXPECT_THAT(oracle_of(case_with("dim=1 length=2 size=2 step=1", "float32 (0, 1, 2)")), IsEmpty());
}

TEST(UnfoldBackward, TheLengthHoldsAsManyWindowsAsThereAre) {
  const auto error_with = [](std::string_view call) {
    return error_of(case_with(call, "float32 (3, 2)"));
  };
  EXPECT_EQ(error_with("dim=0 length=8 size=2 step=3"), "");
  EXPECT_EQ(error_with("dim=0 length=10 size=2 step=3"), "");
  EXPECT_THAT(error_with("dim=0 length=7 size=2 step=3"), HasSubstr("length must be"));
  EXPECT_THAT(error_with("dim=0 length=11 size=2 step=3"), HasSubstr("length must be"));
  EXPECT_THAT(error_with("dim=0 length=8 size=1 step=3"), HasSubstr("size must be 2"));
  EXPECT_THAT(error_with("dim=0 length=4 size=2 step=0"), HasSubstr("step must be"));
  EXPECT_THAT(error_with("dim=1 length=8 size=2 step=3"), HasSubstr("dim must be 0"));
  EXPECT_THAT(error_of(case_with("dim=0 length=8 size=2 step=3", "uint16 (3, 2)")),
              HasSubstr("grad_in: its dtype must be"));
}

TEST(UnfoldBackward, ManyTermsOfOneSumStayExact) {
  // 256 windows hold each element, and bfloat16 has 8 bits.
  const std::string many = case_with("dim=0 length=600 size=256 step=1", "bfloat16 (345, 256)");
  const Expectation e = expectation(written(many));
  const std::vector<double> terms = numbers(Dtype::kBFloat16, e.operands[0]),
                            sums = numbers(Dtype::kBFloat16, e.values);
  for (std::size_t element = 0; element < 600; ++element) {
    double sum = 0, largest = 0;
    for (std::size_t i = element < 256 ? 0 : element - 255;
         i <= std::min<std::size_t>(element, 344); ++i) {
      sum += terms[i * 256 + element - i];
      largest += std::abs(terms[i * 256 + element - i]);
    }
    ASSERT_EQ(sums[element], sum);
    ASSERT_LE(largest, 256);
  }
}

TEST(UnfoldBackward, RulesApplyWhereSomethingIsAdded) {
  RuleCases rules("unfold_backward");
  constexpr std::string_view kCall = "functional dim=-2 length=5 size=2 step=3",
                             kOut = "out dim=-2 length=5 size=2 step=3",
                             kNoSize = "functional dim=0 length=5 size=0 step=3",
                             kScalar = "functional dim=0 length=1 size=1 step=1";
  constexpr std::string_view kGrad = "grad_in float32 (2, 4, 2) fill=sums1\n",
                             kNone = "grad_in float32 (2, 0) fill=sums1\n",
                             kOne = "grad_in float32 (1) fill=sums1\n";
  const std::string out = std::string(kGrad) + "out float32 (5, 4)\n",
                    resized = std::string(kGrad) + "out float32 (0)\n";
  const std::size_t size = 1, step = 2;
  EXPECT_EQ(rules.applies("dim_above", kCall, kGrad).attributes[0], 2);
  EXPECT_EQ(rules.applies("dim_below", kCall, kGrad).attributes[0], -3);
  EXPECT_EQ(rules.applies("dim_above", kScalar, kOne).attributes[0], 1);
  EXPECT_EQ(rules.applies("windows_above", kCall, kGrad).operands[0].shape, (Dims{3, 4, 2}));
  EXPECT_EQ(rules.applies("size_above", kCall, kGrad).attributes[size], 3);
  EXPECT_EQ(rules.applies("step_zero", kCall, kGrad).attributes[step], 0);
  EXPECT_EQ(rules.applies("step_below", kCall, kGrad).attributes[step], -1);
  EXPECT_EQ(rules.applies("out_dtype", kOut, out).operands[1].dtype, Dtype::kDouble);
  EXPECT_TRUE(has_expanded(rules.applies("out_overlaps_itself", kOut, out).operands[1].layout));
  for (const std::string_view rule : {"windows_above", "size_above", "step_zero", "step_below"})
    rules.does_not_apply(rule, kNoSize, kNone);
  rules.does_not_apply("windows_above", kScalar, kOne);
  rules.does_not_apply("out_dtype", kCall, kGrad);
  rules.does_not_apply("out_overlaps_itself", kOut, resized);
  rules.all_tried({"dim_above", "dim_below"});
}

}  // namespace
}  // namespace indexfuzz
