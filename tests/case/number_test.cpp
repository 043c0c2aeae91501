// Numbers of the narrow formats, exhaustively, against their definition.

#include "case/number.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

namespace indexfuzz {
namespace {

struct Format {
  Dtype dtype;
  int exponent, mantissa;
  bool has_infinity;
  bool fnuz = false;
};
constexpr Format kFormats[] = {{Dtype::kHalf, 5, 10, true},
                               {Dtype::kBFloat16, 8, 7, true},
                               {Dtype::kFloat8E4M3FN, 4, 3, false},
                               {Dtype::kFloat8E5M2, 5, 2, true},
                               {Dtype::kFloat8E4M3FNUZ, 4, 3, false, true},
                               {Dtype::kFloat8E5M2FNUZ, 5, 2, false, true}};

/// IEEE 754 by the book: ±1.mantissa × 2^(exponent - bias), without a leading one where the
/// exponent is 0. The fnuz formats as torch's headers describe them (Float8_e4m3fnuz.h).
double defined(const Format& f, unsigned bits) {
  if (f.fnuz && bits == 0x80) return std::nan("");
  const int bias = (1 << (f.exponent - 1)) - (f.fnuz ? 0 : 1);
  const unsigned sign = bits >> (f.exponent + f.mantissa),
                 exponent = (bits >> f.mantissa) & ((1u << f.exponent) - 1);
  const unsigned mantissa = bits & ((1u << f.mantissa) - 1), highest = (1u << f.exponent) - 1;
  double magnitude = static_cast<double>(mantissa) / (1u << f.mantissa);
  if (exponent == highest && f.has_infinity) {
    magnitude = mantissa == 0 ? std::numeric_limits<double>::infinity() : std::nan("");
  } else if (exponent == highest && mantissa + 1 == 1u << f.mantissa && !f.fnuz) {
    magnitude = std::nan("");
  } else if (exponent == 0) {
    magnitude *= std::pow(2.0, 1 - bias);
  } else {
    magnitude = (1 + magnitude) * std::pow(2.0, static_cast<int>(exponent) - bias);
  }
  return sign != 0 ? -magnitude : magnitude;
}

std::int64_t value_of_bits(Dtype dtype, std::uint32_t bits) {
  switch (dtype) {
    case Dtype::kHalf: return exact_value<5, 10>(bits);
    case Dtype::kBFloat16: return exact_value<8, 7>(bits);
    case Dtype::kFloat8E4M3FN: return exact_value<4, 3>(bits);
    case Dtype::kFloat8E4M3FNUZ: return exact_value<4, 3, true>(bits);
    case Dtype::kFloat8E5M2FNUZ: return exact_value<5, 2, true>(bits);
    default: return exact_value<5, 2>(bits);
  }
}
std::uint32_t bits_of_value(Dtype dtype, std::int64_t value) {
  switch (dtype) {
    case Dtype::kHalf: return nearest_bits<5, 10>(value);
    case Dtype::kBFloat16: return nearest_bits<8, 7>(value);
    case Dtype::kFloat8E4M3FN: return nearest_bits<4, 3>(value);
    case Dtype::kFloat8E4M3FNUZ: return nearest_bits<4, 3, true>(value);
    case Dtype::kFloat8E5M2FNUZ: return nearest_bits<5, 2, true>(value);
    default: return nearest_bits<5, 2>(value);
  }
}

TEST(Number, EveryBitPatternMeansWhatItsFormatSays) {
  for (const Format& f : kFormats) {
    for (unsigned bits = 0; bits < 1u << (1 + f.exponent + f.mantissa); ++bits) {
      const double actual = to_double(f.dtype, reinterpret_cast<const std::byte*>(&bits));
      const double expected = defined(f, bits);
      ASSERT_EQ(std::isnan(actual), std::isnan(expected)) << bits;
      if (std::isnan(expected)) continue;
      ASSERT_EQ(actual, expected) << info(f.dtype).name << " " << bits;
      ASSERT_EQ(std::signbit(actual), std::signbit(expected)) << bits;
    }
  }
}

TEST(Number, EveryExactIntegerHasItsBitsAndComesBack) {
  for (const Format& f : kFormats) {
    int integers = 0;
    for (unsigned bits = 0; bits < 1u << (1 + f.exponent + f.mantissa); ++bits) {
      const double value = defined(f, bits);
      if (!(std::abs(value) <= std::ldexp(1.0, info(f.dtype).exact_bits)) ||
          value != std::round(value))
        continue;
      ASSERT_EQ(value_of_bits(f.dtype, bits), static_cast<std::int64_t>(value)) << bits;
      if (value == 0 && std::signbit(value)) continue;
      ASSERT_EQ(bits_of_value(f.dtype, static_cast<std::int64_t>(value)), bits) << value;
      ++integers;
    }
    // Every one of them is such a pattern: exact_bits promises no more than holds.
    EXPECT_EQ(integers, 2 * (1 << info(f.dtype).exact_bits) + 1) << info(f.dtype).name;
  }
}

TEST(Number, AnyIntegerHasTheBitsOfTheNearestNumber) {
  for (const Format& f : {kFormats[0], kFormats[1]}) {
    int ties = 0;
    for (std::int64_t value = -20'000; value <= 20'000; ++value) {
      const std::uint32_t bits = bits_of_value(f.dtype, value);
      if (value == 0) continue;
      const double distance = std::abs(defined(f, bits) - static_cast<double>(value));
      for (const std::uint32_t neighbour : {bits - 1, bits + 1}) {
        const double other = std::abs(defined(f, neighbour) - static_cast<double>(value));
        ASSERT_TRUE(distance < other || (distance == other && bits % 2 == 0))
            << info(f.dtype).name << " " << value;
        ties += distance == other;
      }
    }
    EXPECT_GT(ties, 1000) << info(f.dtype).name;
  }
}

TEST(Number, WriteExactIsReadBackByEveryDtype) {
  for (int d = 0; d < kDtypeCount; ++d) {
    const auto dtype = static_cast<Dtype>(d);
    const std::int64_t most = info(dtype).exact_bits == 0 ? 1 : info(dtype).exact_bits > 3 ? 15 : 7;
    for (std::int64_t value = info(dtype).is_signed ? -most : 0; value <= most; ++value) {
      std::byte bytes[16]{};
      write_exact(dtype, value, bytes);
      EXPECT_EQ(to_double(dtype, bytes), static_cast<double>(value)) << info(dtype).name;
    }
  }
}

TEST(Number, SameMeansTheSameBitsOrNaNInTheSameComponents) {
  const auto same = [](Dtype dtype, const auto& a, const auto& b) {
    return same_number(dtype, reinterpret_cast<const std::byte*>(&a),
                       reinterpret_cast<const std::byte*>(&b));
  };
  const float nan = std::nanf(""), other_nan = std::nanf("7");
  EXPECT_TRUE(same(Dtype::kFloat, nan, other_nan));
  EXPECT_FALSE(same(Dtype::kFloat, nan, 1.0f));
  EXPECT_FALSE(same(Dtype::kFloat, 0.0f, -0.0f));
  EXPECT_FALSE(same(Dtype::kInt32, nan, other_nan));
  const float left[] = {nan, 1}, left_too[] = {other_nan, 1}, right[] = {1, nan},
              changed[] = {nan, 2};
  EXPECT_TRUE(same(Dtype::kComplexFloat, left, left_too));
  EXPECT_FALSE(same(Dtype::kComplexFloat, left, right));
  EXPECT_FALSE(same(Dtype::kComplexFloat, left, changed));
}

TEST(Number, NeighboursAreFiniteAndNotZero) {
  constexpr double kLeast = std::numeric_limits<double>::denorm_min(),
                   kMost = std::numeric_limits<double>::max(), kInfinity = HUGE_VAL;
  const auto are = [](double x, double y) {
    const auto* a = reinterpret_cast<const std::byte*>(&x);
    const auto* b = reinterpret_cast<const std::byte*>(&y);
    EXPECT_EQ(are_neighbours(Dtype::kDouble, a, b), are_neighbours(Dtype::kDouble, b, a));
    return are_neighbours(Dtype::kDouble, a, b);
  };
  EXPECT_TRUE(are(1, std::nextafter(1, 2)));
  EXPECT_TRUE(are(-1, std::nextafter(-1, 0)));
  EXPECT_TRUE(are(kLeast, 2 * kLeast));
  EXPECT_TRUE(are(kMost, std::nextafter(kMost, 0)));
  EXPECT_FALSE(are(1, 1));
  EXPECT_FALSE(are(1, -1));
  EXPECT_FALSE(are(0, kLeast));
  EXPECT_FALSE(are(0.0, -0.0));
  EXPECT_FALSE(are(-kLeast, kLeast));
  EXPECT_FALSE(are(kMost, kInfinity));
  EXPECT_FALSE(are(kInfinity, std::nan("")));
  const std::int64_t one = 1, two = 2;
  EXPECT_FALSE(are_neighbours(Dtype::kInt64, reinterpret_cast<const std::byte*>(&one),
                              reinterpret_cast<const std::byte*>(&two)));
}

}  // namespace
}  // namespace indexfuzz
