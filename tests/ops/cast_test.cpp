// Conversions: what two dtypes have in common, over all pairs, and conversions by hand, with loss
// and without.

#include "ops/numbers/cast.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "../written_case.h"

namespace indexfuzz {
namespace {

using ::testing::ElementsAre;

std::vector<std::byte> cast(Dtype from, const std::vector<std::byte>& source, Dtype to) {
  const std::size_t count = source.size() / item_size(from);
  std::vector<std::byte> result(count * item_size(to));
  convert(from, source.data(), to, result.data(), static_cast<std::int64_t>(count));
  return result;
}

/// Converts the bits of one kind of element into those of another.
template <typename To, typename From>
std::vector<To> cast_bits(Dtype from, std::initializer_list<From> source, Dtype to) {
  return bits_of<To>(cast(from, bytes_of(source), to));
}

/// All values of a real dtype of one or two bytes, else many: extremes and hashes of every length.
/// Of a complex one both parts.
std::vector<std::byte> values_of(Dtype dtype) {
  const Dtype real = component(dtype);
  const std::size_t size = item_size(real);
  const std::uint64_t count = dtype == Dtype::kBool ? 2 : size == 1 ? 256 : 65536;
  std::vector<std::byte> values;
  const auto append = [&](std::uint64_t bits) {
    const auto* first = reinterpret_cast<const std::byte*>(&bits);
    values.insert(values.end(), first, first + size);
  };
  for (std::uint64_t i = 0; i < count; ++i) {
    if (size <= 2) {
      append(i);
      // An odd factor: every value, in another order.
      if (real != dtype) append(i * 40503);
      continue;
    }
    const std::uint64_t edge = i % 128 < 64 ? 1ull << i % 64 : ~0ull >> i % 64;
    const std::uint64_t bits = i < 128 ? edge : hash1(i, 1) >> (i % 4) * 16;
    append(bits);
    if (real != dtype) append(hash1(i, 2));
  }
  return values;
}

template <typename F>
void for_each_pair(F&& f) {
  for (int a = 0; a < kDtypeCount; ++a) {
    for (int b = 0; b < kDtypeCount; ++b) f(static_cast<Dtype>(a), static_cast<Dtype>(b));
  }
}

TEST(CommonValues, SurviveTheRoundTripIntoBoth) {
  for_each_pair([](Dtype a, Dtype b) {
    const Dtype common = common_values(a, b);
    const std::vector<std::byte> values = values_of(common);
    const std::size_t size = item_size(common);
    for (const Dtype there : {a, b}) {
      const std::vector<std::byte> back = cast(there, cast(common, values, there), common);
      for (std::size_t at = 0; at < values.size(); at += size) {
        ASSERT_TRUE(same_number(common, &values[at], &back[at]))
            << info(common).name << " number " << at / size << " through " << info(there).name;
      }
    }
  });
}

TEST(CommonValues, DoNotDependOnTheOrder) {
  for_each_pair([](Dtype a, Dtype b) {
    EXPECT_EQ(common_values(a, b), common_values(b, a)) << info(a).name << " " << info(b).name;
  });
}

TEST(CommonValues, OfADtypeAndOneThatHoldsItAreItsOwn) {
  EXPECT_EQ(common_values(Dtype::kInt8, Dtype::kInt16), Dtype::kInt8);
  EXPECT_EQ(common_values(Dtype::kUInt8, Dtype::kHalf), Dtype::kUInt8);
  EXPECT_EQ(common_values(Dtype::kInt32, Dtype::kDouble), Dtype::kInt32);
  EXPECT_EQ(common_values(Dtype::kBFloat16, Dtype::kFloat), Dtype::kBFloat16);
  EXPECT_EQ(common_values(Dtype::kDouble, Dtype::kHalf), Dtype::kHalf);
  EXPECT_EQ(common_values(Dtype::kFloat8E4M3FN, Dtype::kBFloat16), Dtype::kFloat8E4M3FN);
  EXPECT_EQ(common_values(Dtype::kFloat8E5M2, Dtype::kHalf), Dtype::kFloat8E5M2);
  EXPECT_EQ(common_values(Dtype::kFloat8E5M2FNUZ, Dtype::kHalf), Dtype::kFloat8E5M2FNUZ);
  EXPECT_EQ(common_values(Dtype::kBFloat16, Dtype::kFloat8E4M3FNUZ), Dtype::kFloat8E4M3FNUZ);
  EXPECT_EQ(common_values(Dtype::kBool, Dtype::kFloat8E5M2), Dtype::kBool);
  EXPECT_EQ(common_values(Dtype::kComplexDouble, Dtype::kComplexFloat), Dtype::kComplexFloat);
  EXPECT_EQ(common_values(Dtype::kComplexDouble, Dtype::kFloat), Dtype::kFloat);
}

TEST(CommonValues, OfOthersAreThoseOfADtypeThatBothHold) {
  EXPECT_EQ(common_values(Dtype::kInt64, Dtype::kUInt64), Dtype::kUInt32);
  EXPECT_EQ(common_values(Dtype::kInt64, Dtype::kDouble), Dtype::kInt32);
  EXPECT_EQ(common_values(Dtype::kInt64, Dtype::kFloat), Dtype::kInt16);
  EXPECT_EQ(common_values(Dtype::kUInt64, Dtype::kFloat), Dtype::kUInt16);
  EXPECT_EQ(common_values(Dtype::kInt32, Dtype::kBFloat16), Dtype::kInt8);
  EXPECT_EQ(common_values(Dtype::kUInt8, Dtype::kInt8), Dtype::kBool);
  EXPECT_EQ(common_values(Dtype::kInt64, Dtype::kFloat8E4M3FN), Dtype::kBool);
  // Of the two 16-bit formats one has the range, the other the precision.
  EXPECT_EQ(common_values(Dtype::kHalf, Dtype::kBFloat16), Dtype::kBool);
  // The range of one format is shifted against the other's.
  EXPECT_EQ(common_values(Dtype::kFloat8E4M3FN, Dtype::kFloat8E4M3FNUZ), Dtype::kBool);
  EXPECT_EQ(common_values(Dtype::kFloat8E5M2FNUZ, Dtype::kFloat8E5M2), Dtype::kBool);
  // A real and a complex dtype meet in a real one.
  EXPECT_EQ(common_values(Dtype::kComplexHalf, Dtype::kFloat), Dtype::kHalf);
  EXPECT_EQ(common_values(Dtype::kComplexFloat, Dtype::kInt64), Dtype::kInt16);
}

TEST(Convert, KeepsNormalNumbers) {
  EXPECT_THAT(
      cast_bits<float>(Dtype::kHalf, {std::uint16_t{0x3C00}, std::uint16_t{0xC900}}, Dtype::kFloat),
      ElementsAre(1, -10));
  EXPECT_THAT(cast_bits<std::uint16_t>(Dtype::kDouble, {1.0, -10.0, 65504.0}, Dtype::kHalf),
              ElementsAre(0x3C00, 0xC900, 0x7BFF));
  EXPECT_THAT(cast_bits<std::uint16_t>(Dtype::kFloat, {1.0f, -0.5f}, Dtype::kBFloat16),
              ElementsAre(0x3F80, 0xBF00));
  EXPECT_THAT(cast_bits<std::uint8_t>(Dtype::kFloat, {1.0f, -448.0f}, Dtype::kFloat8E4M3FN),
              ElementsAre(0x38, 0xFE));
  EXPECT_THAT(cast_bits<std::uint8_t>(Dtype::kFloat, {1.0f, -57344.0f}, Dtype::kFloat8E5M2),
              ElementsAre(0x3C, 0xFB));
  EXPECT_THAT(cast_bits<float>(Dtype::kInt8, {std::int8_t{-128}, std::int8_t{127}}, Dtype::kFloat),
              ElementsAre(-128, 127));
  EXPECT_THAT(cast_bits<std::int16_t>(Dtype::kFloat, {-32768.0f, 3.0f}, Dtype::kInt16),
              ElementsAre(-32768, 3));
}

TEST(Convert, KeepsDenormalNumbers) {
  // The smallest of each format, and the largest of half.
  EXPECT_THAT(
      cast_bits<double>(Dtype::kHalf, {std::uint16_t{1}, std::uint16_t{0x83FF}}, Dtype::kDouble),
      ElementsAre(0x1p-24, -0x3FFp-24));
  EXPECT_THAT(cast_bits<std::uint16_t>(Dtype::kDouble, {0x1p-24, -0x3FFp-24}, Dtype::kHalf),
              ElementsAre(1, 0x83FF));
  EXPECT_THAT(cast_bits<std::uint16_t>(Dtype::kFloat, {0x1p-133f, -0x1p-127f}, Dtype::kBFloat16),
              ElementsAre(1, 0x8040));
  EXPECT_THAT(
      cast_bits<float>(Dtype::kBFloat16, {std::uint16_t{1}, std::uint16_t{0x8040}}, Dtype::kFloat),
      ElementsAre(0x1p-133f, -0x1p-127f));
  EXPECT_THAT(cast_bits<std::uint8_t>(Dtype::kFloat, {0x1p-9f, -0x7p-9f}, Dtype::kFloat8E4M3FN),
              ElementsAre(0x01, 0x87));
  EXPECT_THAT(cast_bits<float>(Dtype::kFloat8E4M3FN, {std::uint8_t{0x01}, std::uint8_t{0x87}},
                               Dtype::kFloat),
              ElementsAre(0x1p-9f, -0x7p-9f));
  EXPECT_THAT(cast_bits<std::uint8_t>(Dtype::kFloat, {0x1p-16f, -0x3p-16f}, Dtype::kFloat8E5M2),
              ElementsAre(0x01, 0x83));
  EXPECT_THAT(cast_bits<std::uint16_t>(Dtype::kFloat8E5M2, {std::uint8_t{0x01}}, Dtype::kHalf),
              ElementsAre(0x0100));
  EXPECT_THAT(cast_bits<float>(Dtype::kDouble, {0x1p-149}, Dtype::kFloat), ElementsAre(0x1p-149f));
}

TEST(Convert, RoundsToTheNearestAndOfTwoToTheEvenOne) {
  // Half has 11 bits: steps of 2 above 2048, a carry into the next power of two at 4095.
  EXPECT_THAT(
      cast_bits<double>(Dtype::kHalf,
                        std::initializer_list<std::uint16_t>{0x6800, 0x6801, 0x6802, 0x6C00},
                        Dtype::kDouble),
      ElementsAre(2048, 2050, 2052, 4096));
  EXPECT_THAT(cast_bits<std::uint16_t>(
                  Dtype::kDouble, {2049.0, 2049.5, 2051.0, -2051.0, 2050.5, 4095.0}, Dtype::kHalf),
              ElementsAre(0x6800, 0x6801, 0x6802, 0xE802, 0x6801, 0x6C00));
  EXPECT_THAT(cast_bits<std::uint16_t>(Dtype::kInt64, {std::int64_t{2049}, std::int64_t{-4095}},
                                       Dtype::kHalf),
              ElementsAre(0x6800, 0xEC00));
  // bfloat16 has 8 bits: steps of 2 above 256.
  EXPECT_THAT(
      cast_bits<std::uint16_t>(Dtype::kFloat, {257.0f, 259.0f, 258.5f, 0.1f}, Dtype::kBFloat16),
      ElementsAre(0x4380, 0x4382, 0x4381, 0x3DCD));
  // Below the lowest exponent the steps stay as they are.
  EXPECT_THAT(cast_bits<std::uint16_t>(Dtype::kDouble, {0x1p-25, 0x3p-25, 0x1.8p-25, 0x7FFp-25},
                                       Dtype::kHalf),
              ElementsAre(0, 2, 1, 0x0400));
  EXPECT_THAT(cast_bits<float>(Dtype::kInt64,
                               {(std::int64_t{1} << 25) + 2, (std::int64_t{1} << 25) + 6,
                                (std::int64_t{1} << 60) + (std::int64_t{1} << 36) + 1},
                               Dtype::kFloat),
              ElementsAre(0x1p25f, 0x1p25f + 8, 0x1p60f + 0x1p37f));
  EXPECT_THAT(
      cast_bits<double>(Dtype::kUInt64, {(std::uint64_t{1} << 63) + 1024 + 1}, Dtype::kDouble),
      ElementsAre(0x1p63 + 2048));
}

TEST(HoldsBetween, AQuarterOfAStep) {
  EXPECT_TRUE(holds_between(Dtype::kDouble, Dtype::kFloat));
  EXPECT_TRUE(holds_between(Dtype::kInt64, Dtype::kDouble));
  EXPECT_TRUE(holds_between(Dtype::kHalf, Dtype::kBFloat16));
  EXPECT_TRUE(holds_between(Dtype::kComplexDouble, Dtype::kComplexFloat));
  EXPECT_TRUE(holds_between(Dtype::kInt16, Dtype::kComplexHalf));
  EXPECT_FALSE(holds_between(Dtype::kBFloat16, Dtype::kHalf));
  EXPECT_FALSE(holds_between(Dtype::kFloat, Dtype::kFloat));
  EXPECT_FALSE(holds_between(Dtype::kUInt8, Dtype::kBFloat16)) << "not one bit to spare";
  EXPECT_FALSE(holds_between(Dtype::kDouble, Dtype::kInt32)) << "fractions are cut off";
  EXPECT_FALSE(holds_between(Dtype::kDouble, Dtype::kFloat8E5M2));
}

TEST(Convert, KeepsInfinitiesAndNaN) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  EXPECT_THAT(cast_bits<std::uint16_t>(Dtype::kDouble, {kInfinity, -kInfinity}, Dtype::kHalf),
              ElementsAre(0x7C00, 0xFC00));
  EXPECT_THAT(cast_bits<std::uint16_t>(Dtype::kDouble, {kInfinity, -kInfinity}, Dtype::kBFloat16),
              ElementsAre(0x7F80, 0xFF80));
  EXPECT_THAT(cast_bits<std::uint8_t>(Dtype::kDouble, {kInfinity, -kInfinity}, Dtype::kFloat8E5M2),
              ElementsAre(0x7C, 0xFC));
  EXPECT_THAT(
      cast_bits<float>(Dtype::kHalf, {std::uint16_t{0x7C00}, std::uint16_t{0xFC00}}, Dtype::kFloat),
      ElementsAre(kInfinity, -kInfinity));
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  for (const Dtype to : {Dtype::kHalf, Dtype::kBFloat16, Dtype::kFloat, Dtype::kFloat8E4M3FN,
                         Dtype::kFloat8E5M2, Dtype::kFloat8E4M3FNUZ, Dtype::kFloat8E5M2FNUZ}) {
    const std::vector<std::byte> narrow = cast(Dtype::kDouble, bytes_of({kNaN}), to);
    EXPECT_TRUE(std::isnan(numbers(to, narrow)[0])) << info(to).name;
    EXPECT_TRUE(std::isnan(bits_of<double>(cast(to, narrow, Dtype::kDouble))[0])) << info(to).name;
  }
  // A NaN whose payload lies below what the narrower format keeps is none the less NaN.
  EXPECT_THAT(cast_bits<std::uint16_t>(Dtype::kFloat, {std::uint32_t{0x7F800001}}, Dtype::kHalf),
              ElementsAre(0x7E00));
}

TEST(Convert, RoundsWhatLiesBeyondAllNumbersToInfinity) {
  EXPECT_THAT(cast_bits<std::uint16_t>(Dtype::kDouble, {65519.0, 65520.0, -1e300}, Dtype::kHalf),
              ElementsAre(0x7BFF, 0x7C00, 0xFC00));
  EXPECT_THAT(cast_bits<std::uint16_t>(Dtype::kDouble, {3.39e38, -4e38}, Dtype::kBFloat16),
              ElementsAre(0x7F7F, 0xFF80));
}

TEST(Convert, KeepsTheSignOfZero) {
  EXPECT_THAT(cast_bits<std::uint16_t>(Dtype::kDouble, {-0.0, 0.0}, Dtype::kHalf),
              ElementsAre(0x8000, 0));
  EXPECT_THAT(cast_bits<std::uint8_t>(Dtype::kFloat, {-0.0f}, Dtype::kFloat8E4M3FN),
              ElementsAre(0x80));
  EXPECT_THAT(cast_bits<std::uint32_t>(Dtype::kFloat8E5M2, {std::uint8_t{0x80}}, Dtype::kFloat),
              ElementsAre(0x80000000));
  EXPECT_THAT(cast_bits<std::uint64_t>(Dtype::kBFloat16, {std::uint16_t{0x8000}}, Dtype::kDouble),
              ElementsAre(0x8000000000000000));
  EXPECT_THAT(cast_bits<std::int64_t>(Dtype::kDouble, {-0.0}, Dtype::kInt64), ElementsAre(0));
}

TEST(Convert, KeepsTheExtremesOf64Bits) {
  constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  EXPECT_THAT(cast_bits<double>(Dtype::kInt64, {kLeast, std::int64_t{1} << 53}, Dtype::kDouble),
              ElementsAre(-0x1p63, 0x1p53));
  EXPECT_THAT(cast_bits<std::int64_t>(Dtype::kDouble, {-0x1p63, 0x1p62}, Dtype::kInt64),
              ElementsAre(kLeast, 1ll << 62));
  EXPECT_THAT(cast_bits<std::uint64_t>(Dtype::kInt64, {kMost}, Dtype::kUInt64),
              ElementsAre(0x7FFFFFFFFFFFFFFF));
  EXPECT_THAT(cast_bits<std::int64_t>(Dtype::kUInt64, {~0ull >> 1, 0ull}, Dtype::kInt64),
              ElementsAre(kMost, 0));
  // Above the range of int64.
  EXPECT_THAT(cast_bits<double>(Dtype::kUInt64, {1ull << 63, ~0ull << 11}, Dtype::kDouble),
              ElementsAre(0x1p63, 0x1p64 - 0x1p11));
  EXPECT_THAT(cast_bits<std::uint64_t>(Dtype::kDouble, {0x1p63, 0x1p64 - 0x1p11}, Dtype::kUInt64),
              ElementsAre(1ull << 63, ~0ull << 11));
  EXPECT_THAT(cast_bits<std::uint64_t>(Dtype::kUInt64, {~0ull}, Dtype::kUInt64),
              ElementsAre(~0ull));
}

TEST(Convert, KeepsTheSignOfIntegers) {
  EXPECT_THAT(cast_bits<std::int64_t>(Dtype::kInt8, {std::int8_t{-1}}, Dtype::kInt64),
              ElementsAre(-1));
  EXPECT_THAT(cast_bits<std::int64_t>(Dtype::kUInt8, {std::uint8_t{255}}, Dtype::kInt64),
              ElementsAre(255));
  EXPECT_THAT(cast_bits<std::int8_t>(Dtype::kInt32, {-128, 127}, Dtype::kInt8),
              ElementsAre(-128, 127));
  EXPECT_THAT(cast_bits<std::uint8_t>(Dtype::kDouble, {0.0, 1.0}, Dtype::kBool), ElementsAre(0, 1));
  EXPECT_THAT(cast_bits<float>(Dtype::kBool, {std::uint8_t{1}, std::uint8_t{0}}, Dtype::kFloat),
              ElementsAre(1, 0));
}

TEST(Convert, ConvertsBothPartsOfComplexNumbers) {
  const std::vector<double> wide =
      cast_bits<double>(Dtype::kComplexFloat, {1.5f, -0.0f, -2.0f, 8.0f}, Dtype::kComplexDouble);
  EXPECT_THAT(wide, ElementsAre(1.5, 0, -2, 8));
  EXPECT_TRUE(std::signbit(wide[1]));
  EXPECT_THAT(cast_bits<std::uint16_t>(Dtype::kComplexDouble, {1.0, -10.0}, Dtype::kComplexHalf),
              ElementsAre(0x3C00, 0xC900));
  // To a real number goes the real part; from one comes no imaginary part.
  EXPECT_THAT(cast_bits<float>(Dtype::kComplexFloat, {3.0f, 4.0f, 5.0f, 6.0f}, Dtype::kFloat),
              ElementsAre(3, 5));
  EXPECT_THAT(
      cast_bits<float>(Dtype::kInt16, {std::int16_t{7}, std::int16_t{-9}}, Dtype::kComplexFloat),
      ElementsAre(7, 0, -9, 0));
}

}  // namespace
}  // namespace indexfuzz
