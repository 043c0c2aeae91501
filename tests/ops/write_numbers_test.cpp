// The fills whose numbers are chosen for what a call does with them: convert, multiply, compare.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "../written_case.h"
#include "ops/fills/write_fill.h"

namespace indexfuzz {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Gt;
using ::testing::HasSubstr;
using ::testing::Lt;

TEST(Between, IsRoundedAsItIsConverted) {
  const auto value_for = [](std::string_view self, std::string_view dtype, int seed) {
    return expectation(written("masked_fill.Tensor functional\nself " + std::string(self) +
                               " (1)\nmask bool (1) fill=mask_front popcount=1\nvalue " +
                               std::string(dtype) +
                               " () fill=between1 seed=" + std::to_string(seed) + "\n"));
  };
  struct Pair {
    std::string_view self, value;
  };
  for (const auto& [self, value] :
       {Pair{"bfloat16", "float32"}, Pair{"float16", "float64"}, Pair{"float32", "int64"},
        Pair{"float64", "int64"}, Pair{"bfloat16", "float16"}, Pair{"complex64", "complex128"}}) {
    int differ = 0, upwards = 0;
    for (int seed = 0; seed < 40; ++seed) {
      const Expectation e = value_for(self, value, seed);
      const Dtype from = e.c.operands[2].dtype;
      // No number of 55 bits is read as a double here.
      if (from == Dtype::kInt64) {
        const auto before = bits_of<std::int64_t>(e.operands[2])[0];
        const auto after = static_cast<std::int64_t>(numbers(e.result.dtype, e.values)[0]);
        differ += before != after;
        upwards += std::abs(after) > std::abs(before);
      } else {
        const double before = numbers(from, e.operands[2])[0];
        const double after = numbers(e.result.dtype, e.values)[0];
        differ += before != after;
        upwards += std::abs(after) > std::abs(before);
      }
    }
    EXPECT_THAT(differ, AllOf(Gt(20), Lt(39))) << self << value;
    EXPECT_THAT(upwards, AllOf(Gt(5), Lt(30))) << self << value;
  }
  EXPECT_THAT(error_of("masked_fill.Tensor functional\nself float32 (1)\nmask bool (1) "
                       "fill=mask_front popcount=1\nvalue float32 () fill=between1\n"),
              HasSubstr("value: it needs fill=hash1"));
}

/// A number of index_fill's that is filled with factor1, under many seeds.
std::set<double> factors_for(std::string_view self) {
  std::set<double> seen;
  for (int seed = 0; seed < 64; ++seed) {
    const auto value =
        expectation(written("index_fill.int_Scalar functional\nself " + std::string(self) +
                            " (1)\nindex int64 (1) fill=first\nvalue float64 () "
                            "fill=factor1 seed=" +
                            std::to_string(seed) + "\n"))
            .operands[2];
    seen.insert(bits_of<double>(value).front());
  }
  return seen;
}

TEST(Factors, HaveAFractionAlsoForWhatCutsItOff) {
  for (const std::string_view self : {"float32", "bfloat16", "bool", "int8", "int64"})
    EXPECT_THAT(factors_for(self), ElementsAre(-1.5, -0.5, 0.5, 2)) << self;
  // What becomes of -1.5 without a sign nobody says.
  EXPECT_THAT(factors_for("uint8"), ElementsAre(2, 3, 253, 254));
  // Nor what 65534 is where 16 bits have one.
  const auto number =
      expectation(written("masked_fill.Tensor functional\nself int16 (1)\nmask bool "
                          "(1) fill=mask_front popcount=1\nvalue uint16 () "
                          "fill=factor1\n"))
          .operands[2];
  EXPECT_LE(bits_of<std::uint16_t>(number).front(), 32767);
}

TEST(Factors, AreFrozen) {
  std::set<double> factors;
  for (int seed = 0; seed < 40; ++seed) {
    const std::string text = "float32 (1) fill=factor1 seed=" + std::to_string(seed);
    factors.insert(numbers(Dtype::kFloat, self_of(text)).at(0));
  }
  EXPECT_EQ(factors, (std::set<double>{-1.5, -0.5, 0.5, 2}));
  std::set<double> long_ones;
  for (int seed = 0; seed < 40; ++seed) {
    const std::string text = " (1) fill=factor2 seed=" + std::to_string(seed);
    long_ones.insert(numbers(Dtype::kDouble, self_of("float64" + text)).at(0));
    EXPECT_EQ(self_of("float32" + text),
              self_of("float32 (1) fill=factor1 seed=" + std::to_string(seed)));
  }
  EXPECT_EQ(long_ones, (std::set<double>{1 + 0x1p-29, -1 - 0x1p-29, 2 - 0x1p-29, 0x1p-29 - 3}));
  std::set<double> with_zero;
  for (int seed = 0; seed < 40; ++seed) {
    const std::string text = "float16 (1) fill=factor3 seed=" + std::to_string(seed);
    with_zero.insert(numbers(Dtype::kHalf, self_of(text)).at(0));
  }
  EXPECT_EQ(with_zero, (std::set<double>{-1.5, -0.5, 0, 0.5, 2}));
  EXPECT_EQ(numbers(Dtype::kInt32, self_of("int32 (4) fill=factor1")),
            numbers(Dtype::kInt64, self_of("int64 (4) fill=factor1")));
}

/// A number of index_fill's that is filled with wrapped1, under many seeds.
template <typename T>
std::set<T> wrapped_for(std::string_view self, std::string_view number) {
  std::set<T> seen;
  for (int seed = 0; seed < 400; ++seed) {
    const Case c = written("index_fill.int_Scalar functional\nself " + std::string(self) +
                           " (1)\nindex int64 (1) fill=first\nvalue " + std::string(number) +
                           " () fill=wrapped1 seed=" + std::to_string(seed) + "\n");
    T value{};
    write_fill(c, 2, reinterpret_cast<std::byte*>(&value));
    seen.insert(value);
  }
  return seen;
}

TEST(Wrapped, AreNegativeIntegersForWhatHasNoSign) {
  const std::set<std::int64_t> seen = wrapped_for<std::int64_t>("uint8", "int64");
  EXPECT_GE(*seen.begin(), -255);
  EXPECT_LE(*seen.begin(), -250);
  EXPECT_EQ(*seen.rbegin(), -1);
  EXPECT_GT(seen.size(), 150u);
  EXPECT_LT(*wrapped_for<std::int64_t>("uint16", "int64").begin(), -60000);
}

TEST(Wrapped, HaveAFractionAndTheSignOfWhatCutsItOff) {
  for (const std::string_view self : {"uint8", "int8", "int64"}) {
    const std::set<double> seen = wrapped_for<double>(self, "float64");
    int fractions = 0;
    for (const double value : seen) {
      EXPECT_EQ(value * 4, std::trunc(value * 4));
      fractions += value != std::trunc(value);
    }
    EXPECT_GT(fractions, static_cast<int>(seen.size()) / 2) << self;
    EXPECT_EQ(*seen.rbegin(), 31.75) << self;
    EXPECT_EQ(*seen.begin(), self == "uint8" ? 0.25 : -31.75) << self;
  }
}

TEST(Wrapped, AreForConversionsThatAlterNumbers) {
  const auto error_for = [](std::string_view self, std::string_view number) {
    return error_of("index_fill.int_Scalar functional\nself " + std::string(self) +
                    " (1)\nindex int64 (1) fill=first\nvalue " + std::string(number) +
                    " () fill=wrapped1\n");
  };
  EXPECT_EQ(error_for("uint8", "int64"), "");
  EXPECT_EQ(error_for("int16", "float64"), "");
  EXPECT_THAT(error_for("int16", "int64"), HasSubstr("value: it needs fill=factor1"));
  EXPECT_THAT(error_for("float32", "float64"), HasSubstr("value: it needs fill=factor1"));
  EXPECT_THAT(error_for("bool", "int64"), HasSubstr("value: it needs fill=factor1"));
  EXPECT_THAT(error_for("uint8", "bool"), HasSubstr("value: it needs fill=factor1"));
  // searchsorted compares with a number and does not convert it to an unsigned one.
  EXPECT_THAT(error_of("searchsorted.Scalar functional out_int32=false right=false\n"
                       "sorted_sequence uint8 (2) fill=sorted1\nself int64 () fill=wrapped1\n"),
              HasSubstr("self: it needs fill=searched1"));
}

TEST(Wrapped, AreConvertedAsInC) {
  const auto one = [](std::string_view text, std::vector<std::vector<std::byte>> operands) {
    return bits_of<std::uint8_t>(oracle_of(text, std::move(operands))).at(0);
  };
  const auto self = bytes_of<std::uint8_t>({7}), source = bytes_of<std::uint8_t>({3}),
             set = bytes_of<std::uint8_t>({1}), unset = bytes_of<std::uint8_t>({0});
  const auto first = bytes_of<std::int64_t>({0});
  constexpr std::string_view kFill =
      "index_fill.int_Scalar functional\nself uint8 (1)\nindex int64 (1) fill=first\nvalue ";
  EXPECT_EQ(one(std::string(kFill) + "int64 () fill=wrapped1\n",
                {self, first, bytes_of<std::int64_t>({-1})}),
            255);
  EXPECT_EQ(one(std::string(kFill) + "int64 () fill=wrapped1\n",
                {self, first, bytes_of<std::int64_t>({-255})}),
            1);
  EXPECT_EQ(one(std::string(kFill) + "float64 () fill=wrapped1\n",
                {self, first, bytes_of<double>({2.75})}),
            2);
  constexpr std::string_view kMasked =
      "masked_fill.Scalar functional\nself uint8 (1)\nmask bool (1) fill=mask_front popcount=1\n"
      "value ";
  EXPECT_EQ(one(std::string(kMasked) + "int64 () fill=wrapped1\n",
                {self, set, bytes_of<std::int64_t>({-2})}),
            254);
  EXPECT_EQ(one("scatter.value functional\nself uint8 (1)\nindex int64 (1) fill=first\n"
                "value int64 () fill=wrapped1\n",
                {self, first, bytes_of<std::int64_t>({-3})}),
            253);
  EXPECT_EQ(one("scatter.value_reduce functional reduce=add\nself uint8 (1)\n"
                "index int64 (1) fill=first\nvalue int64 () fill=wrapped1\n",
                {self, first, bytes_of<std::int64_t>({-3})}),
            4);
  EXPECT_EQ(one("where.ScalarOther functional\nself uint8 (1)\nother int64 () fill=wrapped1\n"
                "condition bool (1) fill=mask_front\n",
                {self, bytes_of<std::int64_t>({-1}), unset}),
            255);
  // 7 - 3, and 7 + 2 * 3: it is alpha that is cut off, not the product.
  constexpr std::string_view kAdd =
      "index_add functional\nself uint8 (1)\nindex int64 (1) fill=first\nsource uint8 (1)\n"
      "alpha ";
  EXPECT_EQ(one(std::string(kAdd) + "int64 () fill=wrapped1\n",
                {self, first, source, bytes_of<std::int64_t>({-1})}),
            4);
  EXPECT_EQ(one(std::string(kAdd) + "float64 () fill=wrapped1\n",
                {self, first, source, bytes_of<double>({2.75})}),
            13);
}

TEST(CloseNumbers, AreOnesThatANarrowerDtypeDoesNotTellApart) {
  const auto values = bits_of<std::int64_t>(self_of("int64 (64) fill=close1"));
  const std::set<std::int64_t> seen(values.begin(), values.end());
  EXPECT_EQ(seen.size(), 8u);
  std::set<double> as_double;
  for (const std::int64_t value : seen) as_double.insert(static_cast<double>(value));
  EXPECT_EQ(as_double, (std::set<double>{-0x1p63, 0x1p63}));
  std::set<double> singles;
  for (const double value : numbers(Dtype::kDouble, self_of("float64 (64) fill=close1")))
    singles.insert(static_cast<float>(value));
  EXPECT_EQ(singles, (std::set<double>{-0x1p53, 0x1p53}));
  EXPECT_EQ(self_of("bool (9) fill=close1"), self_of("bool (9) fill=hash1"));
}

TEST(Conversion, IntegersThatBecomeBoolAreOfAnySize) {
  const auto value_of = [](std::string_view fill, int seed) {
    const Case c = written(
        "index_fill.int_Scalar in-place\nself bool (3)\nindex int64 (1) fill=first\n" +
        ("value int64 () fill=" + std::string(fill)) + " seed=" + std::to_string(seed) + "\n");
    std::int64_t value = 0;
    write_fill(c, 2, reinterpret_cast<std::byte*>(&value));
    return value;
  };
  std::set<std::int64_t> factors;
  int without_lowest_byte = 0;
  for (int seed = 1; seed < 64; ++seed) {
    factors.insert(value_of("factor1", seed));
    const std::int64_t extreme = value_of("special1", seed);
    without_lowest_byte += extreme != 0 && extreme % 256 == 0;
  }
  EXPECT_EQ(factors, (std::set<std::int64_t>{2, -2, 3, -3}));
  EXPECT_GT(without_lowest_byte, 0);
}

}  // namespace
}  // namespace indexfuzz
