// bincount's oracle and rules, by hand.

#include <cmath>
#include <limits>

#include "case/limits.h"
#include "ops/repair/repair.h"
#include "rule_cases.h"

namespace indexfuzz {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using List = std::vector<double>;

Dtype result_dtype_of(const std::string& body) {
  const Case c = written(body);
  return operator_of(c).result(c).dtype;
}

TEST(Bincount, CountsEachNumberUpToTheLargest) {
  EXPECT_THAT(bits_of<std::int64_t>(oracle_of(
                  "bincount.plain functional minlength=0\nself int64 (5) fill=ascending\n",
                  {bytes_of<std::int64_t>({4, 1, 4, 4, 0})})),
              ElementsAre(1, 1, 0, 0, 3));
  EXPECT_EQ(oracle_of("bincount.plain functional minlength=0\nself int32 (3) fill=first\n"),
            (List{3}));
}

TEST(Bincount, MinlengthIsTheLeastLength) {
  EXPECT_EQ(oracle_of("bincount.plain functional minlength=4\nself int64 (2) fill=first\n"),
            (List{2, 0, 0, 0}));
  EXPECT_EQ(oracle_of("bincount.plain functional minlength=2\nself int64 (1) fill=last\n"),
            (List{0, 0, 0, 1}));
}

TEST(Bincount, OfNothingThereAreOnlyZeros) {
  for (const std::string weights : {"", "weights float32 (0) fill=sums1\n"}) {
    const std::string call = weights.empty() ? "bincount.plain" : "bincount.weighted";
    const std::string self = "\nself int64 (0) fill=first\n" + weights;
    EXPECT_EQ(oracle_of(call + " functional minlength=3" + self), (List{0, 0, 0}));
    EXPECT_THAT(oracle_of(call + " functional minlength=0" + self), IsEmpty());
    EXPECT_EQ(result_dtype_of(call + " functional minlength=3" + self), Dtype::kInt64);
    const Case c = written(call + " functional minlength=3" + self);
    EXPECT_EQ(operator_of(c).aten_only(c), !weights.empty());
  }
}

TEST(Bincount, NumbersHaveAnyIntegralDtype) {
  const auto bins = [](const std::string& dtype, int minlength) {
    return result_shape_of("bincount.plain functional minlength=" + std::to_string(minlength) +
                           "\nself " + dtype + " (1) fill=last\n")[0];
  };
  EXPECT_EQ(bins("uint8", 100), 200);
  EXPECT_EQ(bins("uint8", 200), 256) << "the largest number is 255";
  EXPECT_EQ(bins("int8", 100), 128);
  EXPECT_EQ(bins("int16", 20'000), 32'768);
  EXPECT_EQ(bins("int32", 20'000), 40'000);
  EXPECT_EQ(bins("int64", 20'000), 40'000);
  EXPECT_THAT(bits_of<std::int64_t>(oracle_of("bincount.plain functional minlength=128\n"
                                              "self uint8 (2) fill=last\n",
                                              {bytes_of<std::uint8_t>({255, 255})}))
                  .back(),
              2);
  EXPECT_EQ(oracle_of("bincount.plain functional minlength=0\nself uint8 (300) fill=first\n"),
            (List{300}));
  EXPECT_THAT(error_of("bincount.plain functional minlength=0\nself uint16 (1) fill=first\n"),
              HasSubstr("dtype"));
}

TEST(Bincount, LimitsMayLeaveOnlyTheDtypesOfPositions) {
  Limits limits;
  limits.index_dtypes = kIndexDtypes;
  Case c = written("bincount.plain functional minlength=0\nself int8 (1) fill=first\n");
  repair(c, limits);
  EXPECT_TRUE(contains(kIndexDtypes, c.operands[0].dtype));
}

TEST(Bincount, AddsTheWeightsOfEachNumber) {
  constexpr std::string_view kCase =
      "bincount.weighted functional minlength=4\n"
      "self int64 (3) fill=first\nweights float32 (3) fill=sums1\n";
  EXPECT_THAT(bits_of<float>(oracle_of(
                  kCase, {bytes_of<std::int64_t>({2, 0, 2}), bytes_of<float>({1.5f, 2, -4})})),
              ElementsAre(2, 0, -2.5, 0));
  constexpr std::string_view kFlags =
      "bincount.weighted functional minlength=2\n"
      "self int16 (3) fill=first\nweights bool (3) fill=ones\n";
  EXPECT_EQ(oracle_of(kFlags), (List{3, 0}));
}

TEST(Bincount, SumsAreFloat64UnlessWeightsAreFloat32) {
  for (const DtypeInfo& dtype : kDtypeInfo) {
    if (dtype.family == DtypeFamily::kComplex) continue;
    const std::string name(dtype.name);
    EXPECT_EQ(
        result_dtype_of("bincount.weighted functional minlength=0\nself int64 (1) fill=first\n"
                        "weights " +
                        name + " (1) fill=zeros\n"),
        name == "float32" ? Dtype::kFloat : Dtype::kDouble)
        << name;
  }
  EXPECT_THAT(error_of("bincount.weighted functional minlength=0\nself int64 (1) fill=first\n"
                       "weights complex64 (1) fill=zeros\n"),
              HasSubstr("dtype"));
}

TEST(Bincount, SumsOfLargeIntegersAreNotRounded) {
  EXPECT_THAT(bits_of<double>(oracle_of(
                  "bincount.weighted functional minlength=0\n"
                  "self int64 (2) fill=first\nweights uint64 (2) fill=hash1\n",
                  {bytes_of<std::int64_t>({0, 0}), bytes_of<std::uint64_t>({(1ull << 52), 1})})),
              ElementsAre(4503599627370497.0));
}

TEST(Bincount, InfinitiesAndNaNAreAdded) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const auto sums =
      bits_of<double>(oracle_of("bincount.weighted functional minlength=3\n"
                                "self int64 (4) fill=first\nweights float64 (4) fill=sums3\n",
                                {bytes_of<std::int64_t>({0, 0, 1, 2}),
                                 bytes_of<double>({kInfinity, 1, std::nan(""), -kInfinity})}));
  EXPECT_EQ(sums[0], kInfinity);
  EXPECT_TRUE(std::isnan(sums[1]));
  EXPECT_EQ(sums[2], -kInfinity);
}

/// Empty where the fill can be kept, else the one that is needed.
std::string fill_instead(std::string_view self, std::string_view weights) {
  return error_of("bincount.weighted functional minlength=0\nself int64 " + std::string(self) +
                  "\nweights " + std::string(weights) + "\n");
}

TEST(Bincount, WeightsHaveExactSums) {
  EXPECT_THAT(fill_instead("(9) fill=first", "float64 (9) fill=hash1"), HasSubstr("fill=sums2"));
  EXPECT_THAT(fill_instead("(9) fill=first", "float64 (9) fill=close1"), HasSubstr("fill=sums1"));
  EXPECT_THAT(fill_instead("(9) fill=first", "bfloat16 (9) fill=hash1"), HasSubstr("fill=sums1"));
  EXPECT_EQ(fill_instead("(8192) fill=first", "float16 (8192) fill=hash1"), "");
  EXPECT_THAT(fill_instead("(8193) fill=first", "float16 (8193) fill=hash1"),
              HasSubstr("fill=sums1"));
  EXPECT_EQ(fill_instead("(9) fill=first", "int64 (9) fill=hash1"), "");
  EXPECT_THAT(fill_instead("(9) fill=first", "int64 (9) fill=between1"), HasSubstr("fill=hash1"));
}

TEST(Bincount, AWeightAloneMayUseAllBits) {
  EXPECT_EQ(fill_instead("(9) fill=ascending", "float64 (9) fill=close1"), "");
  EXPECT_EQ(fill_instead("(9) fill=ascending", "int64 (9) fill=between1"), "");
  EXPECT_THAT(fill_instead("(9) fill=ascending", "float32 (9) fill=hash1"),
              HasSubstr("fill=close1"));
  EXPECT_THAT(
      fill_instead("(9) expanded=(0) repeats=(0) fill=ascending", "float32 (9) fill=close1"),
      HasSubstr("fill=sums1"))
      << "nine times the same number";
}

TEST(Bincount, AResultKeepsWithinTheLimits) {
  Limits limits;
  limits.max_elements = 32;
  for (const std::string shape : {"1", "30"}) {
    Case c =
        written("bincount.plain functional minlength=100\nself int64 (" + shape + ") fill=last\n");
    repair(c, limits);
    EXPECT_EQ(operator_of(c).result(c).shape, (Dims{32}));
  }
}

TEST(Bincount, RulesApplyWhereATenLooks) {
  RuleCases rules("bincount");
  constexpr std::string_view kPlain = ".plain functional minlength=2",
                             kWeighted = ".weighted functional minlength=2",
                             kOutForm = ".plain out minlength=2";
  constexpr std::string_view kSelf = "self int64 (3) fill=first\n",
                             kBytes = "self uint8 (3) fill=first\n",
                             kBoth = "self int8 (3) fill=first\nweights float32 (3) fill=sums1\n",
                             kOne = "self int8 (1) fill=first\nweights float32 (1) fill=sums1\n",
                             kNone = "self int8 (0) fill=first\nweights float32 (0) fill=sums1\n",
                             kOut = "self int64 (3) fill=first\nout int64 (2)\n",
                             kResized = "self int64 (3) fill=first\nout int64 (0)\n";
  EXPECT_EQ(rules.applies("self_negative", kPlain, kSelf).operands[0].poke_value, -1);
  rules.does_not_apply("self_negative", kPlain, kBytes);
  rules.does_not_apply("self_negative", kWeighted, kNone);
  EXPECT_EQ(rules.applies("self_dtype", kPlain, kBytes).operands[0].dtype, Dtype::kFloat);
  EXPECT_THAT(rules.applies("self_rank", kWeighted, kBoth).operands[0].shape, ElementsAre(3, 1));
  EXPECT_THAT(rules.applies("self_rank_lower", kPlain, kSelf).operands[0].shape, IsEmpty());
  EXPECT_THAT(rules.applies("self_rank_lower", kWeighted, kOne).operands[0].shape, IsEmpty());
  rules.does_not_apply("self_rank_lower", kWeighted, kBoth);
  EXPECT_EQ(rules.applies("minlength_below", kOutForm, kOut).attributes[0], -1);
  EXPECT_THAT(rules.applies("weights_count", kWeighted, kBoth).operands[1].shape, ElementsAre(4));
  rules.does_not_apply("weights_count", kPlain, kSelf);
  rules.does_not_apply("weights_count", kWeighted, kNone);
  EXPECT_THAT(rules.applies("weights_count_lower", kWeighted, kOne).operands[1].shape,
              ElementsAre(0));
  rules.does_not_apply("weights_count_lower", kWeighted, kNone);
  EXPECT_THAT(rules.applies("weights_rank", kWeighted, kBoth).operands[1].shape, ElementsAre(3, 1));
  rules.does_not_apply("weights_rank", kPlain, kSelf);
  EXPECT_EQ(rules.applies("out_dtype", kOutForm, kOut).operands[1].dtype, Dtype::kDouble);
  rules.does_not_apply("out_dtype", kPlain, kSelf);
  EXPECT_TRUE(
      has_expanded(rules.applies("out_overlaps_itself", kOutForm, kOut).operands[1].layout));
  rules.does_not_apply("out_overlaps_itself", kOutForm, kResized);
  EXPECT_EQ(rules.applies("counts_overflow", kPlain, kSelf).operands[0].poke_value, INT64_MAX);
  rules.does_not_apply("counts_overflow", kPlain, kBytes);
  rules.all_tried({"self_dtype", "self_rank", "minlength_below"});
}

TEST(Bincount, ANegativeNumberFitsIntoItsDtype) {
  for (int seed = 1; seed < 200; ++seed) {
    const Expectation e =
        expectation(written("bincount.plain functional minlength=2 breaks=self_negative\n"
                            "self int8 (3) fill=random1 seed=" +
                            std::to_string(seed) + "\n"));
    const std::int64_t value = e.c.operands[0].poke_value;
    EXPECT_GE(value, -128);
    EXPECT_LT(value, 0);
  }
}

}  // namespace
}  // namespace indexfuzz
