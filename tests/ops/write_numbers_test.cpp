// The fills whose numbers are chosen for what a call does with them: convert, multiply, compare.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "../written_case.h"

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
