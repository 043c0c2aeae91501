// stack's oracle and rules, by hand. The first entry holds 1, 2, 3, … in row-major
// order, the others -1, -2, -3, ….

#include "rule_cases.h"

namespace indexfuzz {
namespace {

using ::testing::HasSubstr;
using List = std::vector<double>;

TEST(Stack, AddsADimension) {
  constexpr std::string_view kEntries =
      "tensors float32 (2, 2)\ntensors float32 (2, 2) order=(1, 0)\n";
  const auto stacked = [&](std::string_view dim) {
    return "stack functional dim=" + std::string(dim) + "\n" + std::string(kEntries);
  };
  EXPECT_EQ(oracle_of(stacked("0")), (List{1, 2, 3, 4, -1, -2, -3, -4}));
  EXPECT_EQ(oracle_of(stacked("1")), (List{1, 2, -1, -2, 3, 4, -3, -4}));
  EXPECT_EQ(oracle_of(stacked("2")), (List{1, -1, 2, -2, 3, -3, 4, -4}));
  EXPECT_EQ(oracle_of(stacked("-1")), oracle_of(stacked("2")));
  EXPECT_EQ(oracle_of(stacked("-3")), oracle_of(stacked("0")));
  EXPECT_EQ(result_shape_of(stacked("-1")), (Dims{2, 2, 2}));
}

TEST(Stack, NumbersBecomeAVector) {
  constexpr std::string_view kCase =
      "stack functional dim=0\ntensors int64 ()\ntensors int64 ()\ntensors int64 ()\n";
  EXPECT_EQ(oracle_of(kCase), (List{1, -1, -1}));
  EXPECT_EQ(result_shape_of(kCase), (Dims{3}));
}

TEST(Stack, EntriesHaveOneShape) {
  EXPECT_THAT(error_of("stack functional dim=0\ntensors int64 (2)\ntensors int64 (1)\n"),
              HasSubstr("shape must be (2)"));
  EXPECT_EQ(result_shape_of("stack functional dim=1\ntensors int64 (0)\ntensors int64 (0)\n"),
            (Dims{0, 2}));
}

TEST(Stack, DtypesPromote) {
  constexpr std::string_view kCase =
      "stack functional dim=0\ntensors int16 ()\ntensors float16 ()\n";
  EXPECT_EQ(expectation(written(kCase)).result.dtype, Dtype::kHalf);
  EXPECT_EQ(oracle_of(kCase), (List{1, -1}));
}

TEST(Stack, RulesApplyWhereATenLooks) {
  RuleCases rules("stack");
  constexpr std::string_view kCall = "functional dim=0", kOutForm = "out dim=0";
  constexpr std::string_view kPair = "tensors float32 (2)\ntensors float32 (2)\n",
                             kOne = "tensors float32 (2)\n",
                             kNumbers = "tensors float32 ()\ntensors float32 ()\n",
                             kFlags = "tensors bool (2)\nout bool (1, 2)\n",
                             kOut = "tensors float32 (2)\nout float32 (1, 2)\n",
                             kResized = "tensors float32 (2)\nout float32 (0)\n",
                             kNoElements = "tensors float32 (0)\nout float32 (1, 0)\n";
  EXPECT_EQ(rules.applies("dim_above", kCall, kPair).attributes[0], 2);
  EXPECT_EQ(rules.applies("dim_below", kCall, kPair).attributes[0], -3);
  EXPECT_EQ(rules.applies("rank_higher", kCall, kPair).operands[1].shape, (Dims{2, 1}));
  rules.does_not_apply("rank_higher", kCall, kOne);
  EXPECT_EQ(rules.applies("rank_lower", kCall, kPair).operands[1].shape, Dims{});
  rules.does_not_apply("rank_lower", kCall, kNumbers);
  EXPECT_EQ(rules.applies("size", kCall, kPair).operands[1].shape, (Dims{3}));
  rules.does_not_apply("size", kCall, kNumbers);
  EXPECT_EQ(rules.applies("no_promotion", kCall, kPair).operands[1].dtype, Dtype::kFloat8E5M2);
  rules.does_not_apply("no_promotion", kCall, kOne);
  EXPECT_EQ(rules.applies("out_dtype", kOutForm, kOut).operands[1].dtype, Dtype::kInt64);
  rules.does_not_apply("out_dtype", kOutForm, kFlags);
  EXPECT_TRUE(
      has_expanded(rules.applies("out_overlaps_itself", kOutForm, kOut).operands[1].layout));
  rules.does_not_apply("out_overlaps_itself", kOutForm, kResized);
  EXPECT_EQ(rules.applies("out_is_entry", kOutForm, kOut).operands[1].shares_memory_with, 0);
  rules.does_not_apply("out_is_entry", kOutForm, kNoElements);
  rules.all_tried({"dim_above", "dim_below"});
}

}  // namespace
}  // namespace indexfuzz
