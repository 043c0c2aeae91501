// What a mean may be off by, against three ways to compute one.

#include "ops/numbers/mean.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "../written_case.h"
#include "ops/numbers/cast.h"

namespace indexfuzz {
namespace {

std::vector<Contribution> terms_of(Dtype dtype, const std::vector<std::byte>& bytes) {
  std::vector<Contribution> terms;
  for (std::size_t at = 0; at < bytes.size(); at += item_size(dtype))
    terms.push_back({0, &bytes[at]});
  return terms;
}

/// What (n + 5 + 2 ln n) roundings to so many bits make of a mean of magnitudes.
double roundings(int terms, int bits, double mean_of_magnitudes) {
  const double errors = (terms + 5 + 2 * std::log(terms)) / std::ldexp(1.0, bits);
  return errors / (1 - errors) * mean_of_magnitudes;
}

TEST(MeanTolerance, IsSoManyRoundingsOfTheMeanMagnitude) {
  const std::vector<std::byte> floats = bytes_of<float>({1, -4, 1});
  EXPECT_DOUBLE_EQ(mean_tolerance(Dtype::kFloat, terms_of(Dtype::kFloat, floats)),
                   roundings(3, 24, 2));
  const std::vector<std::byte> one = bytes_of<double>({7});
  EXPECT_EQ(mean_tolerance(Dtype::kDouble, terms_of(Dtype::kDouble, one)), 0);
  const std::vector<std::byte> zeros = bytes_of<double>({0, -0.0});
  EXPECT_EQ(mean_tolerance(Dtype::kDouble, terms_of(Dtype::kDouble, zeros)), 0);
  const std::vector<std::byte> infinite =
      bytes_of<float>({1, -std::numeric_limits<float>::infinity()});
  EXPECT_EQ(mean_tolerance(Dtype::kFloat, terms_of(Dtype::kFloat, infinite)), 0);
  const std::vector<std::byte> no_number = bytes_of<float>({1, std::nanf("")});
  EXPECT_EQ(mean_tolerance(Dtype::kFloat, terms_of(Dtype::kFloat, no_number)), 0);
  const std::vector<std::byte> integers = bytes_of<std::int32_t>({1, 2});
  EXPECT_EQ(mean_tolerance(Dtype::kInt32, terms_of(Dtype::kInt32, integers)), 0);
  // bfloat16 cannot tell the mean of 1,000: one must compute in float32.
  const std::vector<std::byte> many = bytes_of(std::vector<std::uint16_t>(1000, 0x4000));
  EXPECT_DOUBLE_EQ(mean_tolerance(Dtype::kBFloat16, terms_of(Dtype::kBFloat16, many)),
                   roundings(1000, 24, 2));
  const std::vector<std::byte> few = bytes_of(std::vector<std::uint16_t>(5, 0x4000));
  EXPECT_DOUBLE_EQ(mean_tolerance(Dtype::kBFloat16, terms_of(Dtype::kBFloat16, few)),
                   roundings(5, 8, 2));
}

/// Every step rounded to the dtype.
struct Rounded {
  Dtype dtype;
  double operator()(double number) const {
    std::byte bytes[8];
    convert(Dtype::kDouble, reinterpret_cast<const std::byte*>(&number), dtype, bytes, 1);
    return to_double(dtype, bytes);
  }
};

TEST(MeanTolerance, HoldsForEveryWayToComputeAMean) {
  std::mt19937 random(1);
  for (const Dtype dtype : {Dtype::kHalf, Dtype::kBFloat16, Dtype::kFloat}) {
    const Rounded round{dtype};
    double worst = 0;
    for (int trial = 0; trial < 3000; ++trial) {
      const int count = 2 + static_cast<int>(random() % (dtype == Dtype::kBFloat16 ? 50 : 90));
      const int most = 1 + static_cast<int>(random() % (256 / count + 1));
      std::vector<std::byte> bytes;
      double sum = 0, quotients = 0, products = 0, updated = 0;
      for (int k = 1; k <= count; ++k) {
        const double term = static_cast<int>(random() % (2 * most + 1)) - most;
        std::byte element[8];
        convert(Dtype::kDouble, reinterpret_cast<const std::byte*>(&term), dtype, element, 1);
        bytes.insert(bytes.end(), element, element + item_size(dtype));
        sum += term;
        quotients = round(quotients + round(term / count));
        products = round(products + round(term * round(1.0 / count)));
        updated = round(updated + round(round(term - updated) / k));
      }
      const double right = round(sum / count);
      const double tolerance = mean_tolerance(dtype, terms_of(dtype, bytes));
      for (const double mean : {quotients, products, updated, round(round(1.0 / count) * sum)}) {
        ASSERT_LE(std::abs(mean - right), tolerance) << info(dtype).name << " " << count;
        if (tolerance > 0) worst = std::max(worst, std::abs(mean - right) / tolerance);
      }
    }
    // And is not much more than is needed.
    EXPECT_GT(worst, 0.15) << info(dtype).name;
  }
}

}  // namespace
}  // namespace indexfuzz
