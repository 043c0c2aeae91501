// Fills for sums: exact in every order, or rounded once.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "../written_case.h"
#include "ops/numbers/cast.h"
#include "ops/repair/repair.h"

namespace indexfuzz {
namespace {

TEST(Sums, SomeAreRoundedOnceTiesAmongThem) {
  for (const std::string_view dtype :
       {"float16", "bfloat16", "float32", "float64", "complex32", "complex64", "complex128"}) {
    const std::string name(dtype);
    const Expectation e =
        expectation(written("index_add functional\nself " + name +
                            " (64) fill=sums4\nindex int64 (64) fill=distinct1 seed=5\nsource " +
                            name + " (64) fill=sums4\nalpha float64 () fill=ones\n"));
    const Dtype real = component(e.result.dtype);
    const std::vector<double> self = numbers(real, e.operands[0]), sums = numbers(real, e.values),
                              source = numbers(real, e.operands[2]);
    const std::vector<std::int64_t> index = bits_of<std::int64_t>(e.operands[1]);
    const std::size_t parts = self.size() / index.size();
    int rounded = 0, ties = 0;
    for (std::size_t i = 0; i < source.size(); ++i) {
      const std::size_t at = static_cast<std::size_t>(index[i / parts]) * parts + i % parts;
      // Of 56 bits at most.
      const auto exact = static_cast<std::int64_t>(self[at]) + static_cast<std::int64_t>(source[i]);
      std::byte nearest[8];
      convert(Dtype::kInt64, reinterpret_cast<const std::byte*>(&exact), real, nearest, 1);
      ASSERT_EQ(sums[at], to_double(real, nearest)) << dtype << " " << exact;
      const std::int64_t off = std::abs(static_cast<std::int64_t>(sums[at]) - exact);
      rounded += off != 0;
      ties += off == 2;
    }
    EXPECT_GT(rounded, 40) << dtype;
    EXPECT_GT(ties, 5) << dtype;
  }
}

/// The most that any sum over an accumulating case's operands can come to, however ordered or
/// grouped, in units of which every element is a whole number.
double largest_sum(const Case& c, int added, std::int64_t uses, double unit = 1) {
  const Expectation e = expectation(c);
  const Dtype dtype = c.operands[0].dtype;
  const std::size_t parts = component(dtype) == dtype ? 1 : 2;
  double largest = 0;
  const std::vector<double> self = numbers(dtype, e.operands[0]);
  const std::vector<double> others = numbers(dtype, e.operands[static_cast<std::size_t>(added)]);
  for (std::size_t part = 0; part < parts; ++part) {
    double most = 0, sum = 0;
    for (std::size_t i = part; i < self.size(); i += parts) {
      EXPECT_EQ(self[i] / unit, std::round(self[i] / unit));
      most = std::max(most, std::abs(self[i]));
    }
    for (std::size_t i = part; i < others.size(); i += parts) {
      EXPECT_EQ(others[i] / unit, std::round(others[i] / unit));
      sum += std::abs(others[i]) * static_cast<double>(uses);
    }
    largest = std::max(largest, most + sum);
  }
  return largest / unit;
}

TEST(Sums, StayExactInEveryOrder) {
  for (const std::string_view dtype :
       {"float16", "bfloat16", "float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz",
        "float32", "float64", "complex32", "complex64", "complex128"}) {
    const double bound = std::ldexp(1.0, info(*dtype_from_name(dtype)).exact_bits);
    const std::string head = std::string(dtype) + " (";
    int telling = 0;
    for (const int count : {1, 2, 3, 5, 17, 100, 1000, 5000, 40000}) {
      const std::string n = std::to_string(count);
      for (const std::string_view repeats : {"", " repeats=(0)"}) {
        const Case all = written("scatter_add functional\nself " + head +
                                 "3) fill=sums1\nindex int64 (" + n + ") fill=random1\nsrc " +
                                 head + n + ") fill=sums1" + std::string(repeats) + "\n");
        EXPECT_LE(largest_sum(all, 2, 1), bound) << dtype << " " << n << repeats;
        telling += largest_sum(all, 2, 1) > 3;
      }
      const Case broadcast =
          written("index_put functional accumulate=true\nself " + head + "3) fill=sums1\nvalues " +
                  head + "1) fill=sums1\nindices int64 (" + n + ") fill=random1\n");
      EXPECT_LE(largest_sum(broadcast, 1, count), bound) << dtype << " " << n << " broadcast";
    }
    EXPECT_GT(telling, 9) << dtype;
  }
}

TEST(Sums, FractionsStayExactInEveryOrder) {
  for (const std::string_view dtype : {"float32", "float64", "complex64", "complex128"}) {
    const int bits = info(*dtype_from_name(dtype)).exact_bits;
    const double unit = bits == 24 ? 1.0 / 4 : 1.0 / 512;
    const std::string head = std::string(dtype) + " (";
    for (const int count : {1, 3, 17, 1000, 40000}) {
      const std::string n = std::to_string(count);
      const Case c =
          written("scatter_add functional\nself " + head + "3) fill=sums2\nindex int64 (" + n +
                  ") fill=random1\nsrc " + head + n + ") fill=sums2\n");
      EXPECT_LE(largest_sum(c, 2, 1, unit), std::ldexp(1.0, bits)) << dtype << " " << n;
    }
  }
  const std::vector<double> wide = numbers(Dtype::kDouble, self_of("float64 (9) fill=sums2"));
  for (const double number : wide) EXPECT_NE(number, static_cast<float>(number));
}

/// The largest power of two of which all are multiples.
double grid_of(const std::vector<double>& values) {
  double grid = HUGE_VAL;
  for (const double value : values) {
    if (value == 0 || !std::isfinite(value)) continue;
    int exponent = 0;
    auto whole = static_cast<std::int64_t>(std::ldexp(std::frexp(value, &exponent), 53));
    for (exponent -= 53; whole % 2 == 0; whole /= 2) ++exponent;
    grid = std::min(grid, std::ldexp(1.0, exponent));
  }
  return grid;
}

TEST(Sums, StayExactInEveryOrderWhicheverFillsMeet) {
  constexpr FillKind kFills[] = {FillKind::kIndex, FillKind::kHash1, FillKind::kSpecial1,
                                 FillKind::kZeros, FillKind::kOnes,  FillKind::kSums1,
                                 FillKind::kSums2, FillKind::kSums3, FillKind::kSums4,
                                 FillKind::kSums6, FillKind::kSums7, FillKind::kSums8};
  for (const std::string_view op :
       {"scatter_add functional", "scatter_reduce functional reduce=sum include_self=true"}) {
    for (const std::string_view name : {"float16", "bfloat16", "float32", "float64"}) {
      const std::string dtype(name);
      Case c = written(std::string(op) + "\nself " + dtype +
                       " (30) fill=sums1\nindex int64 (300) fill=random1\nsrc " + dtype +
                       " (300) fill=sums1\n");
      for (const FillKind self : kFills) {
        for (const FillKind source : kFills) {
          c.operands[0].fill.kind = self;
          c.operands[2].fill.kind = source;
          repair(c, Limits{});
          const Expectation e = expectation(c);
          const Dtype is = c.operands[0].dtype;
          const std::vector<double> first = numbers(is, e.operands[0]);
          std::vector<double> all = numbers(is, e.operands[2]);
          const auto most = std::ranges::max_element(
              first, {}, [](double x) { return std::isfinite(x) ? std::abs(x) : 0; });
          all.push_back(std::isfinite(*most) ? *most : 0);
          double sum = 0;
          for (const double number : all) sum += std::isfinite(number) ? std::abs(number) : 0;
          all.insert(all.end(), first.begin(), first.end());
          EXPECT_LE(sum / grid_of(all), std::ldexp(1.0, info(is).exact_bits)) << to_text(c);
        }
      }
    }
  }
}

TEST(Sums, AreSubnormalOrNearTheLargestNumber) {
  constexpr Dtype kNarrow[] = {Dtype::kHalf, Dtype::kBFloat16};
  for (const Dtype dtype : kNarrow) {
    const int smallest = dtype == Dtype::kHalf ? -24 : -133;
    for (const double number :
         numbers(dtype, self_of(std::string(info(dtype).name) + " (9) fill=sums7")))
      EXPECT_EQ(std::remainder(number, std::ldexp(1.0, smallest + 2)), 0) << number;
    const std::string text(info(dtype).name);
    const Case c =
        written("scatter_add functional\nself " + text +
                " (3) fill=sums7\nindex int64 (9) fill=random1\nsrc " + text + " (9) fill=sums7\n");
    EXPECT_LE(grid_of(numbers(dtype, expectation(c).operands[2])), std::ldexp(1.0, smallest + 4));
  }
  const std::pair<Dtype, double> kLargest[] = {{Dtype::kHalf, 65504},
                                               {Dtype::kBFloat16, 3.3895e38},
                                               {Dtype::kFloat, 3.4028e38},
                                               {Dtype::kDouble, 1.7976e308}};
  for (const auto& [dtype, largest] : kLargest) {
    double most = 0;
    for (const double number :
         numbers(dtype, self_of(std::string(info(dtype).name) + " (99) fill=sums8")))
      most = std::max(most, std::abs(number));
    // No term is above 1000 units.
    const double most_terms = std::ldexp(1.0, info(dtype).exact_bits + 1) / 900;
    EXPECT_GT(most * std::max(most_terms, 16.0), largest / 2) << info(dtype).name;
    EXPECT_LT(most, largest / 2) << info(dtype).name;
  }
}

TEST(Sums, NumbersBeyondNumbersAreAmongSelfs) {
  std::set<std::string> kinds;
  for (const double number : numbers(Dtype::kFloat, self_of("float32 (200) fill=sums3"))) {
    kinds.insert(std::isnan(number)                    ? "nan"
                 : std::isinf(number)                  ? number > 0 ? "inf" : "-inf"
                 : number == 0 && std::signbit(number) ? "-0"
                 : number == std::round(number)        ? "whole"
                                                       : "other");
  }
  EXPECT_EQ(kinds, (std::set<std::string>{"nan", "inf", "-inf", "-0", "whole"}));
}

}  // namespace
}  // namespace indexfuzz
