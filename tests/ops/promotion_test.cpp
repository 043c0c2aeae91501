// Type promotion by hand, from the rules that PyTorch's documentation states.

#include "ops/numbers/promotion.h"

#include <gtest/gtest.h>

namespace indexfuzz {
namespace {

constexpr Weighed number(Dtype dtype) {
  return {dtype, Weight::kNumber};
}
constexpr Weighed zero_dim(Dtype dtype) {
  return {dtype, Weight::kZeroDim};
}
constexpr Weighed dimensioned(Dtype dtype) {
  return {dtype, Weight::kDimensioned};
}

TEST(Promote, TakesTheLongerIntegerAndTheSignedOne) {
  EXPECT_EQ(promote(Dtype::kInt8, Dtype::kInt32), Dtype::kInt32);
  EXPECT_EQ(promote(Dtype::kInt64, Dtype::kUInt8), Dtype::kInt64);
  EXPECT_EQ(promote(Dtype::kInt16, Dtype::kUInt8), Dtype::kInt16);
  EXPECT_EQ(promote(Dtype::kBool, Dtype::kUInt8), Dtype::kUInt8);
  // Neither holds the other's values.
  EXPECT_EQ(promote(Dtype::kInt8, Dtype::kUInt8), Dtype::kInt16);
}

TEST(Promote, TakesTheHigherCategoryHoweverShort) {
  EXPECT_EQ(promote(Dtype::kInt64, Dtype::kHalf), Dtype::kHalf);
  EXPECT_EQ(promote(Dtype::kUInt64, Dtype::kBFloat16), Dtype::kBFloat16);
  EXPECT_EQ(promote(Dtype::kInt64, Dtype::kComplexHalf), Dtype::kComplexHalf);
  EXPECT_EQ(promote(Dtype::kBool, Dtype::kComplexDouble), Dtype::kComplexDouble);
}

TEST(Promote, TakesAFloatingPointDtypeThatHoldsBoth) {
  EXPECT_EQ(promote(Dtype::kFloat, Dtype::kDouble), Dtype::kDouble);
  EXPECT_EQ(promote(Dtype::kHalf, Dtype::kFloat), Dtype::kFloat);
  EXPECT_EQ(promote(Dtype::kHalf, Dtype::kBFloat16), Dtype::kFloat);
  EXPECT_EQ(promote(Dtype::kComplexHalf, Dtype::kComplexFloat), Dtype::kComplexFloat);
  EXPECT_EQ(promote(Dtype::kComplexFloat, Dtype::kDouble), Dtype::kComplexDouble);
  EXPECT_EQ(promote(Dtype::kComplexHalf, Dtype::kFloat), Dtype::kComplexFloat);
  // There is no complex bfloat16.
  EXPECT_EQ(promote(Dtype::kComplexHalf, Dtype::kBFloat16), Dtype::kComplexFloat);
}

TEST(Promote, KnowsThePairsWithoutPromotion) {
  EXPECT_EQ(promote(Dtype::kUInt16, Dtype::kInt16), std::nullopt);
  EXPECT_EQ(promote(Dtype::kUInt16, Dtype::kUInt8), std::nullopt);
  EXPECT_EQ(promote(Dtype::kBool, Dtype::kUInt32), std::nullopt);
  EXPECT_EQ(promote(Dtype::kUInt64, Dtype::kUInt32), std::nullopt);
  EXPECT_EQ(promote(Dtype::kUInt16, Dtype::kComplexFloat), std::nullopt);
  EXPECT_EQ(promote(Dtype::kFloat8E4M3FN, Dtype::kFloat8E5M2), std::nullopt);
  EXPECT_EQ(promote(Dtype::kDouble, Dtype::kFloat8E5M2), std::nullopt);
  EXPECT_EQ(promote(Dtype::kBool, Dtype::kFloat8E4M3FN), std::nullopt);
  EXPECT_EQ(promote(Dtype::kUInt64, Dtype::kUInt64), Dtype::kUInt64);
  EXPECT_EQ(promote(Dtype::kFloat8E5M2, Dtype::kFloat8E5M2), Dtype::kFloat8E5M2);
}

TEST(ResultType, ADimensionedTensorDecidesWithinItsCategory) {
  EXPECT_EQ(result_type(dimensioned(Dtype::kInt8), zero_dim(Dtype::kInt64)), Dtype::kInt8);
  EXPECT_EQ(result_type(zero_dim(Dtype::kDouble), dimensioned(Dtype::kHalf)), Dtype::kHalf);
  EXPECT_EQ(result_type(dimensioned(Dtype::kDouble), zero_dim(Dtype::kInt64)), Dtype::kDouble);
  EXPECT_EQ(result_type(dimensioned(Dtype::kComplexHalf), zero_dim(Dtype::kComplexDouble)),
            Dtype::kComplexHalf);
  EXPECT_EQ(result_type(dimensioned(Dtype::kUInt16), zero_dim(Dtype::kInt32)), Dtype::kUInt16);
  EXPECT_EQ(result_type(dimensioned(Dtype::kFloat8E4M3FN), zero_dim(Dtype::kDouble)),
            Dtype::kFloat8E4M3FN);
}

TEST(ResultType, AHigherCategoryHasASayHoweverLight) {
  EXPECT_EQ(result_type(dimensioned(Dtype::kInt64), zero_dim(Dtype::kHalf)), Dtype::kHalf);
  EXPECT_EQ(result_type(dimensioned(Dtype::kBool), zero_dim(Dtype::kUInt8)), Dtype::kUInt8);
  EXPECT_EQ(result_type(zero_dim(Dtype::kComplexFloat), dimensioned(Dtype::kInt16)),
            Dtype::kComplexFloat);
  // Two dimensioned tensors of these have no promotion.
  EXPECT_EQ(result_type(dimensioned(Dtype::kUInt16), zero_dim(Dtype::kComplexHalf)),
            Dtype::kComplexHalf);
  // The precision is the dimensioned tensor's all the same.
  EXPECT_EQ(result_type(dimensioned(Dtype::kHalf), zero_dim(Dtype::kComplexDouble)),
            Dtype::kComplexHalf);
  // Which depends on the release.
  EXPECT_EQ(result_type(dimensioned(Dtype::kBFloat16), zero_dim(Dtype::kComplexDouble)),
            std::nullopt);
  EXPECT_EQ(result_type(dimensioned(Dtype::kFloat8E5M2), zero_dim(Dtype::kComplexHalf)),
            std::nullopt);
  EXPECT_EQ(result_type(dimensioned(Dtype::kInt64), zero_dim(Dtype::kFloat8E5M2)), std::nullopt);
}

TEST(ResultType, ANumberHasTheDefaultDtypeOfItsCategory) {
  EXPECT_EQ(result_type(dimensioned(Dtype::kInt64), number(Dtype::kDouble)), Dtype::kFloat);
  EXPECT_EQ(result_type(number(Dtype::kDouble), zero_dim(Dtype::kHalf)), Dtype::kHalf);
  EXPECT_EQ(result_type(zero_dim(Dtype::kUInt8), number(Dtype::kInt64)), Dtype::kUInt8);
  EXPECT_EQ(result_type(zero_dim(Dtype::kBool), number(Dtype::kInt64)), Dtype::kInt64);
  EXPECT_EQ(result_type(dimensioned(Dtype::kInt32), number(Dtype::kComplexDouble)),
            Dtype::kComplexFloat);
  EXPECT_EQ(result_type(dimensioned(Dtype::kDouble), number(Dtype::kComplexDouble)),
            Dtype::kComplexDouble);
  EXPECT_EQ(result_type(number(Dtype::kBool), number(Dtype::kBool)), Dtype::kBool);
  EXPECT_EQ(result_type(number(Dtype::kInt64), number(Dtype::kDouble)), Dtype::kFloat);
  EXPECT_EQ(result_type(number(Dtype::kDouble), number(Dtype::kComplexDouble)),
            Dtype::kComplexFloat);
}

}  // namespace
}  // namespace indexfuzz
