// scatter_reduce's oracle and rules, by hand. self holds 1, 2, 3, …, src -1, -2, -3, … in row-major
// order, where they are integers.

#include <cmath>
#include <complex>
#include <cstdlib>
#include <limits>

#include "ops/numbers/mean.h"
#include "ops/repair/repair.h"
#include "rule_cases.h"

namespace indexfuzz {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using List = std::vector<double>;

/// Values of one dtype united into element 0 of two.
template <typename T>
std::vector<T> united(std::string_view attributes, std::string_view dtype, std::vector<T> self,
                      const std::vector<T>& src, std::string_view fill = "") {
  const std::string count = std::to_string(src.size());
  const std::string type(dtype), filled(fill);
  return bits_of<T>(oracle_of(
      "scatter_reduce functional " + std::string(attributes) + "\nself " + type + " (2)" + filled +
          "\nindex int64 (" + count + ") fill=first\nsrc " + type + " (" + count + ")" + filled +
          "\n",
      {bytes_of<T>(self), bytes_of<std::int64_t>(std::vector<std::int64_t>(src.size(), 0)),
       bytes_of<T>(src)}));
}

TEST(ScatterReduce, AddsUpComplexNumbers) {
  using Complex = std::complex<float>;
  const std::vector<Complex> self{{1, 2}, {3, 4}}, src{{10, 20}, {-30, 40}};
  const auto sum = [&](std::string_view attributes) {
    return united<Complex>(attributes, "complex64", self, src, " fill=sums1");
  };
  EXPECT_THAT(sum("reduce=sum include_self=true"), ElementsAre(Complex(-19, 62), Complex(3, 4)));
  EXPECT_THAT(sum("reduce=sum"), ElementsAre(Complex(-20, 60), Complex(3, 4)));
}

TEST(ScatterReduce, UnitesWithSelf) {
  const auto with_self = [](std::string_view reduce) {
    return oracle_of("scatter_reduce functional include_self=true reduce=" + std::string(reduce) +
                     "\nself int32 (3)\nindex int64 (4) fill=ascending\nsrc int32 (4)\n");
  };
  // self 1, 2, 3; element 0 meets -1 and -4, element 1 -2, element 2 -3.
  EXPECT_EQ(with_self("sum"), (List{-4, 0, 0}));
  EXPECT_EQ(with_self("prod"), (List{4, -4, -9}));
  EXPECT_EQ(with_self("amax"), (List{1, 2, 3}));
  EXPECT_EQ(with_self("amin"), (List{-4, -2, -3}));
}

TEST(ScatterReduce, WithoutSelfOnlyWhatIsNotNamedStays) {
  const auto without_self = [](std::string_view reduce) {
    return oracle_of("scatter_reduce functional reduce=" + std::string(reduce) +
                     "\nself int32 (3)\nindex int64 (2) fill=first\nsrc int32 (2)\n");
  };
  EXPECT_EQ(without_self("sum"), (List{-3, 2, 3}));
  EXPECT_EQ(without_self("prod"), (List{2, 2, 3}));
  EXPECT_EQ(without_self("amax"), (List{-1, 2, 3}));
  EXPECT_EQ(without_self("amin"), (List{-2, 2, 3}));
}

TEST(ScatterReduce, ReplacesTheCoordinateOfDim) {
  EXPECT_EQ(oracle_of("scatter_reduce in-place dim=-1 reduce=amin include_self=true\nself int64 "
                      "(2, 2)\nindex int32 (2, 1) fill=last\nsrc int64 (2, 3)\n"),
            (List{1, -1, 3, -4}));
}

TEST(ScatterReduce, AMeanOfIntegersIsRoundedDownAndOfSumsThatDoNotWrap) {
  EXPECT_THAT(united<std::int32_t>("reduce=mean include_self=true", "int32", {1, 2}, {-1, -4},
                                   " fill=sums1"),
              ElementsAre(-2, 2));
  EXPECT_THAT(united<std::int32_t>("reduce=mean", "int32", {1, 2}, {-1, -2}, " fill=sums1"),
              ElementsAre(-2, 2));
  EXPECT_THAT(error_of("scatter_reduce functional reduce=mean\nself int32 (2) fill=sums1\nindex "
                       "int64 (2) fill=first\nsrc int32 (2)\n"),
              HasSubstr("src: it needs fill=sums1"));
  // self may be 64 and what is added to it 63 at most.
  for (int seed = 0; seed < 300; ++seed) {
    const std::string with_seed = " fill=sums1 seed=" + std::to_string(seed) + "\n";
    const Expectation e = expectation(
        written("scatter_reduce functional reduce=mean include_self=true\nself int8 (1)" +
                with_seed + "index int64 (2) fill=first\nsrc int8 (2)" + with_seed));
    const auto self = numbers(Dtype::kInt8, e.operands[0]);
    const auto src = numbers(Dtype::kInt8, e.operands[2]);
    EXPECT_LE(std::abs(self[0] + src[0] + src[1]), 127);
  }
}

TEST(ScatterReduce, IntegersWrap) {
  EXPECT_THAT(united<std::uint8_t>("reduce=prod", "uint8", {9, 7}, {16, 17}), ElementsAre(16, 7));
  EXPECT_THAT(united<std::uint64_t>("reduce=amax", "uint64", {9, 7}, {~0ull, 1}),
              ElementsAre(~0ull, 7));
}

TEST(ScatterReduce, TheNumberOfElementsDoesNotWrap) {
  EXPECT_THAT(united<std::int8_t>("reduce=mean", "int8", {9, 7}, std::vector<std::int8_t>(200, 0),
                                  " fill=sums1"),
              ElementsAre(0, 7));
  std::vector<std::uint8_t> ones(256, 0);
  ones[0] = 255;
  EXPECT_THAT(united<std::uint8_t>("reduce=mean", "uint8", {9, 7}, ones, " fill=sums1"),
              ElementsAre(0, 7));
}

TEST(ScatterReduce, BoolsAreOredAndAnded) {
  for (const std::string_view reduce : {"reduce=sum", "reduce=amax"})
    EXPECT_THAT(united<std::uint8_t>(reduce, "bool", {0, 1}, {0, 1}), ElementsAre(1, 1));
  for (const std::string_view reduce : {"reduce=prod", "reduce=amin"})
    EXPECT_THAT(united<std::uint8_t>(reduce, "bool", {1, 1}, {0, 1}), ElementsAre(0, 1));
  EXPECT_THAT(error_of("scatter_reduce functional reduce=mean\nself bool (2)\nindex int64 (2) "
                       "fill=first\nsrc bool (2)\n"),
              HasSubstr("self: its dtype must be"));
}

TEST(ScatterReduce, FloatingPointOfEveryFormat) {
  // 3 * -2 and 6 of float16; (1 + 2) / 2 of bfloat16.
  EXPECT_THAT(united<std::uint16_t>("reduce=prod", "float16", {0, 0x3C00}, {0x4200, 0xC000},
                                    " fill=products1"),
              ElementsAre(0xC600, 0x3C00));
  EXPECT_THAT(united<std::uint16_t>("reduce=mean", "bfloat16", {0, 0x3F80}, {0x3F80, 0x4000},
                                    " fill=sums1"),
              ElementsAre(0x3FC0, 0x3F80));
  EXPECT_THAT(
      united<float>("reduce=mean include_self=true", "float32", {1, 5}, {1, 2}, " fill=sums1"),
      ElementsAre(4.0f / 3, 5));
}

TEST(ScatterReduce, NaNIsTheLargestAndTheSmallestNumber) {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  for (const std::string_view reduce : {"reduce=amax", "reduce=amin"}) {
    const auto both = united<double>(reduce, "float64", {0, 1}, {kNaN, 5});
    EXPECT_TRUE(std::isnan(both[0]));
    const auto later = united<double>(reduce, "float64", {0, 1}, {5, kNaN, 6});
    EXPECT_TRUE(std::isnan(later[0]));
  }
}

TEST(ScatterReduce, BecomesASumWhereOnlyThatHasTheDtypesAskedFor) {
  Case c = written(
      "scatter_reduce functional reduce=mean\nself int32 (2) fill=sums1\nindex int64 (2) "
      "fill=first\nsrc int32 (2) fill=sums1\n");
  Limits limits;
  limits.dtypes = set_of(Dtype::kComplexFloat);
  repair(c, limits);
  EXPECT_EQ(c.attributes[1], 0) << "sum";
  EXPECT_EQ(c.operands[0].dtype, Dtype::kComplexFloat);
}

TEST(ScatterReduce, WhatMayDifferIsSaid) {
  const auto agreement = [](std::string_view reduce) {
    return expectation(
               written("scatter_reduce functional reduce=" + std::string(reduce) +
                       "\nself int32 (2) fill=sums1\nindex int64 (2) fill=last\nsrc int32 (2) "
                       "fill=sums1\n"))
        .agreement;
  };
  EXPECT_EQ(agreement("sum"), Agreement::kSum);
  EXPECT_EQ(agreement("prod"), Agreement::kExact);
  EXPECT_EQ(agreement("mean"), Agreement::kMean);
  EXPECT_EQ(agreement("amax"), Agreement::kEitherZero);
  EXPECT_EQ(agreement("amin"), Agreement::kEitherZero);
}

TEST(ScatterReduce, OtherRoundingsAreAdmissible) {
  const auto admissible = [](std::string_view reduce, std::string_view fill) {
    std::vector<std::size_t> numbers;
    for (const auto& values :
         expectation(written("scatter_reduce functional include_self=true reduce=" +
                             std::string(reduce) + "\nself float32 (2) fill=" + std::string(fill) +
                             "\nindex int64 (1) fill=first\nsrc float32 (1) "
                             "fill=" +
                             std::string(fill) + "\n"))
             .admissible)
      numbers.push_back(values.size());
    return numbers;
  };
  EXPECT_THAT(admissible("amax", "zeros"), ElementsAre(2, 2));
  EXPECT_THAT(admissible("amax", "ones"), ElementsAre(0, 0));
  EXPECT_THAT(admissible("sum", "zeros"), ElementsAre());
}

TEST(ScatterReduce, AMeanMayBeOffByItsRoundings) {
  const auto e = expectation(
      written("scatter_reduce functional include_self=true reduce=mean\nself float32 (3) "
              "fill=sums1\nindex int64 (2) fill=first\nsrc float32 (2) fill=sums1\n"));
  const auto term = [&](std::size_t k, std::size_t i) {
    return Contribution{0, &e.operands[k][i * sizeof(float)]};
  };
  const std::vector<Contribution> terms{term(0, 0), term(2, 0), term(2, 1)};
  EXPECT_THAT(e.tolerance, ElementsAre(mean_tolerance(Dtype::kFloat, terms), 0, 0));
  EXPECT_THAT(e.admissible, ::testing::Each(::testing::IsEmpty()));
  EXPECT_TRUE(has_choices(e));
  // One that self is no term of.
  const auto one = expectation(
      written("scatter_reduce functional reduce=mean\nself float32 (1) fill=sums1\nindex int64 "
              "(1) fill=first\nsrc float32 (1) fill=sums1\n"));
  EXPECT_THAT(one.tolerance, ElementsAre(0));
  EXPECT_FALSE(has_choices(one));
  const auto zeros = expectation(
      written("scatter_reduce functional include_self=true reduce=mean\nself float32 (1) "
              "fill=zeros\nindex int64 (1) fill=first\nsrc float32 (1) fill=zeros\n"));
  EXPECT_FALSE(has_choices(zeros));
}

TEST(ScatterReduce, AMeanOfManyNarrowNumbersMayBeANeighbourOfTheNearest) {
  const auto e = expectation(
      written("scatter_reduce functional include_self=true reduce=mean\nself float16 (1) "
              "fill=sums1\nindex int64 (600) fill=first\nsrc float16 (600) fill=sums1\n"));
  ASSERT_NE(to_double(Dtype::kHalf, e.values.data()), 0);
  ASSERT_EQ(e.admissible.size(), 1u);
  EXPECT_EQ(e.admissible[0].size(), 3u);
  EXPECT_GT(e.tolerance[0], 0);
}

TEST(ScatterReduce, FloatingPointTakesFillsThatAreExact) {
  const auto error = [](std::string_view reduce, std::string_view fill) {
    return error_of("scatter_reduce functional reduce=" + std::string(reduce) +
                    "\nself float32 (2) fill=" + std::string(fill) +
                    "\nindex int64 (2) fill=first\nsrc float32 (2) fill=" + std::string(fill) +
                    "\n");
  };
  EXPECT_THAT(error("prod", "index"), HasSubstr("self: it needs fill=products1"));
  EXPECT_EQ(error("prod", "products1"), "");
  EXPECT_THAT(error("prod", "special1"), HasSubstr("self: it needs fill=products2"));
  EXPECT_EQ(error("prod", "products2"), "");
  EXPECT_EQ(error("prod", "zeros"), "");
  EXPECT_THAT(error("mean", "sums4"), HasSubstr("self: it needs fill=sums1"));
  EXPECT_EQ(error("amax", "special1"), "");
}

TEST(ScatterReduce, HasTheRulesOfScatterAdd) {
  RuleCases rules("scatter_reduce");
  constexpr std::string_view kPlain =
      "self int64 (2, 3)\nindex int64 (2, 2) fill=first\nsrc int64 (2, 2)\n";
  EXPECT_EQ(rules.applies("index_above", "functional", kPlain).operands[1].poke_value, 2);
  EXPECT_EQ(rules.applies("src_dtype", "functional", kPlain).operands[2].dtype, Dtype::kInt32);
  const Case unknown = rules.applies("reduce_unknown", "functional", kPlain);
  EXPECT_EQ(choice_of(overload_of(unknown).attributes[1], unknown.attributes[1]), "unknown");
  rules.does_not_apply("reduce_unknown", "functional",
                       "self int64 (2, 3)\nindex int64 (0, 2) fill=first\nsrc int64 (2, 2)\n");
  // The others are those of scatter_add, whose test tries them.
  EXPECT_TRUE(std::ranges::equal(
      operator_of(unknown).rules.first(operator_of(unknown).rules.size() - 1),
      find_operator("scatter_add")->rules, {}, &IllegalRule::name, &IllegalRule::name));
}

}  // namespace
}  // namespace indexfuzz
