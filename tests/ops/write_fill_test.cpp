// Fills are frozen: a stored case means these very values for years.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "../written_case.h"
#include "ops/fills/write_fill.h"
#include "ops/numbers/cast.h"

namespace indexfuzz {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

TEST(Hash1, IsFrozen) {
  EXPECT_EQ(hash1(0, 0), 0x28f773157b55bb9au);
  EXPECT_EQ(hash1(1, 0), 0xcee5200fb1cfb33u);
  EXPECT_EQ(hash1(12345, 67), 0xd781e14449ace9ccu);
}

TEST(ValueFills, IndexHoldsTheLogicalIndex) {
  EXPECT_EQ(numbers(Dtype::kFloat, self_of("float32 (2, 2)")), (std::vector<double>{1, 2, 3, 4}));
  EXPECT_EQ(numbers(Dtype::kHalf, self_of("float16 (3)")), (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(numbers(Dtype::kFloat8E5M2, self_of("float8_e5m2 (3)")),
            (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(numbers(Dtype::kComplexFloat, self_of("complex64 (2)")),
            (std::vector<double>{1, -1, 2, -2}));
  EXPECT_EQ(numbers(Dtype::kUInt8, self_of("uint8 (2)")), (std::vector<double>{1, 2}));
}

TEST(ValueFills, IndexIsHash1WhereTheDtypeIsTooNarrow) {
  for (const std::string_view operand :
       {"uint8 (256)", "int8 (128)", "float8_e4m3fn (16)", "float8_e4m3fnuz (16)",
        "float8_e5m2fnuz (8)", "float8_e5m2 (8)", "bool (1)", "bfloat16 (256)"}) {
    EXPECT_EQ(self_of(std::string(operand) + " seed=5"),
              self_of(std::string(operand) + " seed=5 fill=hash1"))
        << operand;
  }
  for (const std::string_view operand :
       {"uint8 (255)", "int8 (127)", "float8_e4m3fn (15)", "float8_e5m2 (7)", "bfloat16 (255)"}) {
    EXPECT_NE(self_of(std::string(operand) + " seed=5"),
              self_of(std::string(operand) + " seed=5 fill=hash1"))
        << operand;
  }
}

TEST(ValueFills, ProductsAreExactInEveryOrder) {
  // By a dtype's bits of mantissa and the sizes of a vector: self's number, which is at most 3, and
  // all of the source are no more than 2^bits together.
  for (const auto& [dtype, bits] : {std::pair{"float16", 11}, std::pair{"bfloat16", 8},
                                    std::pair{"float32", 24}, std::pair{"float64", 53}}) {
    for (const int size : {1, 2, 3, 7, 12, 64, 1000}) {
      const std::string self(dtype), count = std::to_string(size);
      const Case c =
          written("scatter_reduce functional reduce=prod\nself " + self +
                  " (64) fill=products1 seed=1\nindex int64 (" + count + ") fill=first\nsrc " +
                  self + " (" + count + ") fill=products1 seed=2\n");
      std::vector<std::byte> values(static_cast<std::size_t>(size) *
                                    item_size(c.operands[2].dtype));
      write_fill(c, 2, values.data());
      double product = 3;
      for (const double value : numbers(c.operands[2].dtype, values)) product *= std::fabs(value);
      EXPECT_LE(product, std::ldexp(1.0, bits)) << dtype << " " << size;
      EXPECT_GE(product, size < 64 ? 6 : 3) << dtype << " " << size;
    }
  }
}

TEST(ValueFills, ProductsBeyondNumbersAreTheSameInEveryOrder) {
  std::set<std::string> seen;
  for (int seed = 0; seed < 16; ++seed) {
    const std::vector<double> values =
        numbers(Dtype::kFloat, self_of("float32 (9) fill=products2 seed=" + std::to_string(seed)));
    double forwards = 1, backwards = 1;
    for (const double value : values) forwards *= value;
    for (std::size_t i = values.size(); i-- > 0;) backwards *= values[i];
    EXPECT_EQ(std::isnan(forwards), std::isnan(backwards));
    if (!std::isnan(forwards)) {
      EXPECT_EQ(forwards, backwards);
      EXPECT_EQ(std::signbit(forwards), std::signbit(backwards));
    }
    for (const double value : values) {
      if (std::isnan(value)) seen.insert("NaN");
      if (std::isinf(value)) seen.insert(value < 0 ? "-inf" : "inf");
      if (value == 0) seen.insert(std::signbit(value) ? "-0" : "0");
    }
  }
  EXPECT_EQ(seen, (std::set<std::string>{"NaN", "inf", "-inf", "0", "-0"}));
}

TEST(ValueFills, LoneHoldsOneRow) {
  std::set<std::size_t> rows;
  for (int seed = 0; seed < 32; ++seed) {
    const std::vector<double> values = numbers(
        Dtype::kFloat, self_of("float32 (2, 2, 3) fill=lone1 seed=" + std::to_string(seed)));
    std::vector<std::size_t> held;
    for (std::size_t i = 0; i < values.size(); ++i) {
      EXPECT_LE(std::fabs(values[i]), 1024);
      if (values[i] != 0) held.push_back(i);
    }
    ASSERT_EQ(held.size(), 3u);
    EXPECT_EQ(held[0] % 3, 0u);
    EXPECT_EQ(held[2], held[0] + 2);
    rows.insert(held[0] / 3);
  }
  EXPECT_EQ(rows.size(), 4u);
}

TEST(ValueFills, SpecialNumbersHoldNoNaN) {
  for (const auto& [dtype, as] :
       {std::pair{"float16", Dtype::kHalf}, std::pair{"bfloat16", Dtype::kBFloat16},
        std::pair{"float32", Dtype::kFloat}, std::pair{"float64", Dtype::kDouble}}) {
    std::set<double> seen;
    for (const double value : numbers(as, self_of(std::string(dtype) + " (200) fill=special2")))
      seen.insert(value);
    EXPECT_FALSE(std::ranges::any_of(seen, [](double value) { return std::isnan(value); }));
    EXPECT_TRUE(std::isinf(*seen.begin()) && std::isinf(*seen.rbegin())) << dtype;
    EXPECT_TRUE(seen.contains(0));
  }
}

TEST(ValueFills, AreFrozen) {
  EXPECT_THAT(bits_of<std::uint8_t>(self_of("uint8 (8) fill=hash1 seed=3")),
              ElementsAre(75, 49, 246, 224, 32, 24, 62, 63));
  EXPECT_THAT(bits_of<std::int16_t>(self_of("int16 (4) fill=hash1 seed=3")),
              ElementsAre(20555, -11727, 24310, 19424));
  EXPECT_THAT(bits_of<std::uint16_t>(self_of("bfloat16 (4) fill=hash1 seed=3")),
              ElementsAre(20555, 53809, 24310, 19424));
  EXPECT_THAT(bits_of<std::uint32_t>(self_of("complex64 (2) fill=hash1 seed=3")),
              ElementsAre(2208976971u, 3067174212u, 2244071985u, 3179020096u));
  EXPECT_THAT(bits_of<std::uint8_t>(self_of("bool (12) fill=hash1 seed=3")),
              ElementsAre(1, 1, 0, 0, 0, 0, 0, 1, 1, 0, 1, 0));
  EXPECT_THAT(numbers(Dtype::kFloat, self_of("float32 (6) fill=sums1 seed=3")),
              ElementsAre(-515, 523, -791, 335, 854, -577));
  EXPECT_THAT(numbers(Dtype::kFloat8E4M3FN, self_of("float8_e4m3fn (6) fill=sums1 seed=3")),
              ElementsAre(-5, 5, -7, 3, 7, -5));
  EXPECT_THAT(numbers(Dtype::kComplexHalf, self_of("complex32 (3) fill=sums1 seed=3")),
              ElementsAre(-515, 382, 523, 417, -791, 967));
  EXPECT_THAT(bits_of<std::uint32_t>(self_of("float32 (8) fill=special1 seed=3")),
              ElementsAre(4286578688u, 2139095039u, 2143289344u, 4286578688u, 1065353216u,
                          2143289345u, 1065353216u, 4007096383u));
  EXPECT_THAT(bits_of<std::uint8_t>(self_of("float8_e4m3fn (8) fill=special1 seed=3")),
              ElementsAre(248, 119, 124, 248, 56, 125, 56, 63));
  EXPECT_THAT(bits_of<std::int32_t>(self_of("int32 (8) fill=special1 seed=3")),
              ElementsAre(std::numeric_limits<std::int32_t>::min(), 0, 1, -1, 1073741824,
                          std::numeric_limits<std::int32_t>::min(), 2147483647, -287870913));
  EXPECT_THAT(numbers(Dtype::kFloat, self_of("float32 (6) fill=products2 seed=3")),
              ElementsAre(2, 2, 0, 2, 0, 0));
  EXPECT_THAT(numbers(Dtype::kFloat, self_of("float32 (3, 2) fill=lone1 seed=3")),
              ElementsAre(527, 536, 0, 0, 0, 0));
  EXPECT_THAT(bits_of<std::uint32_t>(self_of("float32 (8) fill=special2 seed=3")),
              ElementsAre(2139095040u, 2147483648u, 1u, 0u, 4286578687u, 2139095040u, 4286578688u,
                          4007096383u));
  EXPECT_THAT(self_of("float64 (3) fill=zeros"), Each(std::byte{0}));
  EXPECT_THAT(numbers(Dtype::kBFloat16, self_of("bfloat16 (4) fill=sums4 seed=3")),
              ElementsAre(-924, -936, 652, 840));
  EXPECT_THAT(numbers(Dtype::kComplexDouble, self_of("complex128 (1) fill=sums4 seed=3")),
              ElementsAre(-32516944085183124.0, -33046081883435124.0));
  EXPECT_EQ(self_of("int64 (4) fill=sums4 seed=3"), self_of("int64 (4) fill=hash1 seed=3"));
}

TEST(ValueFills, Hash1IsFiniteInEveryFloatingDtype) {
  for (int d = 0; d < kDtypeCount; ++d) {
    const auto dtype = static_cast<Dtype>(d);
    if (!is_floating_or_complex(dtype)) continue;
    for (const double value :
         numbers(dtype, self_of(std::string(info(dtype).name) + " (5000) fill=hash1"))) {
      ASSERT_TRUE(value - value == 0) << info(dtype).name;
    }
  }
}

TEST(ValueFills, Special1HoldsNaNsInfinitiesAndBothZeros) {
  for (const Dtype dtype :
       {Dtype::kHalf, Dtype::kBFloat16, Dtype::kFloat, Dtype::kDouble, Dtype::kFloat8E5M2}) {
    int nans = 0, infinities = 0, plus = 0, minus = 0;
    for (const double value :
         numbers(dtype, self_of(std::string(info(dtype).name) + " (500) fill=special1"))) {
      nans += value != value;
      infinities += value == HUGE_VAL || value == -HUGE_VAL;
      plus += value == 0 && !std::signbit(value);
      minus += value == 0 && std::signbit(value);
    }
    EXPECT_GT(std::min({nans, infinities, plus, minus}), 0) << info(dtype).name;
  }
}

TEST(ValueFills, Special1HoldsTheNaNOfAFormatWithOneZero) {
  for (const std::string dtype : {"float8_e4m3fnuz", "float8_e5m2fnuz"}) {
    std::set<double> numbers_of;
    bool nan = false;
    for (const double value :
         numbers(*dtype_from_name(dtype), self_of(dtype + " (500) fill=special1"))) {
      nan |= value != value;
      if (value == value) numbers_of.insert(value);
    }
    EXPECT_TRUE(nan) << dtype;
    const double most = dtype == "float8_e4m3fnuz" ? 240 : 57344;
    EXPECT_TRUE(numbers_of.contains(most) && numbers_of.contains(-most)) << dtype;
  }
}

TEST(ValueFills, NoTwoElementsOfACallAreAlikeUnderIndex) {
  const Expectation e =
      expectation(written("index_put functional\nself float32 (4, 5)\nvalues float32 (3, "
                          "5)\nindices int64 (3) fill=ascending\n"));
  std::map<double, int> seen;
  for (int k = 0; k < 2; ++k) {
    for (const double value : numbers(Dtype::kFloat, e.operands[static_cast<std::size_t>(k)]))
      ++seen[value];
  }
  EXPECT_EQ(seen.size(), 35u);
}

TEST(Repeats, ValuesDoNotDependOnThatCoordinate) {
  EXPECT_EQ(numbers(Dtype::kFloat, self_of("float32 (2, 3) repeats=(0)")),
            (std::vector<double>{1, 2, 3, 1, 2, 3}));
  EXPECT_EQ(numbers(Dtype::kFloat, self_of("float32 (2, 3) expanded=(1) repeats=(1)")),
            (std::vector<double>{1, 1, 1, 2, 2, 2}));
}

TEST(Sliding, ElementsAtOneAddressHoldOneValue) {
  // Windows of 3 over 4 elements.
  EXPECT_EQ(numbers(Dtype::kFloat, self_of("float32 (2, 3) slides=(0)")),
            (std::vector<double>{1, 2, 3, 2, 3, 4}));
  const std::vector<Target> targets = all_targets();
  int sliding = 0;
  for (std::uint64_t i = 0; i < 30000; ++i) {
    Case c;
    draw_case(5, 0, i, targets, {}, c);
    for (std::size_t k = 0; k < c.operands.size(); ++k) {
      const Operand& operand = c.operands[k];
      if (!operand.present || !(has_sliding(operand.layout) || has_expanded(operand.layout)))
        continue;
      sliding += has_sliding(operand.layout);
      const std::size_t size = item_size(operand.dtype);
      std::vector<std::byte> dense(static_cast<std::size_t>(numel(operand.shape)) * size);
      write_fill(c, static_cast<int>(k), dense.data());
      const Strided view = strided(operand.shape, operand.layout);
      std::map<std::int64_t, std::size_t> first_at;
      for (std::size_t e = 0; e < dense.size() / size; ++e) {
        std::int64_t address = 0;
        auto rest = static_cast<std::int64_t>(e);
        for (std::size_t d = operand.shape.size(); d-- > 0;) {
          address += rest % operand.shape[d] * view.strides[d];
          rest /= operand.shape[d];
        }
        const auto [place, fresh] = first_at.emplace(address, e);
        if (fresh) continue;
        ASSERT_EQ(std::memcmp(&dense[place->second * size], &dense[e * size], size), 0)
            << to_text(c);
      }
    }
  }
  EXPECT_GT(sliding, 100);
}

/// The operand of a case with this fill, in bytes.
std::vector<std::byte> filled(Case c, int k, const Fill& fill) {
  Operand& operand = operand_at(c, k);
  operand.fill = fill;
  std::vector<std::byte> bytes(static_cast<std::size_t>(numel(operand.shape)) *
                               item_size(operand.dtype));
  write_fill(c, k, bytes.data());
  return bytes;
}

TEST(Seeds, AreReadByTheFillsOfWhichThatIsSaid) {
  // Of dtypes and sizes in which every fill reads its seed that ever does.
  const Case c = written(
      "index.Tensor functional\nself uint8 (300, 40)\nindices int64 (7) fill=first\n"
      "indices uint8 (40) fill=mask_front popcount=7\n");
  int kinds = 0;
  for (int number = 0; number < 256; ++number) {
    const auto kind = static_cast<FillKind>(number);
    if (fill_from_name(name(kind)) != kind) continue;
    ++kinds;
    const auto operand = static_cast<std::size_t>(family(kind));
    for (const Negatives negatives : {Negatives::kNone, Negatives::kAll, Negatives::kSome}) {
      if (negatives != Negatives::kNone && family(kind) != FillFamily::kIndex) continue;
      Fill fill{kind, negatives, 0, 0, c.operands[operand].fill.popcount};
      std::set<std::vector<std::byte>> seen;
      for (; fill.seed < 8; ++fill.seed) seen.insert(filled(c, static_cast<int>(operand), fill));
      EXPECT_EQ(seen.size() > 1, reads_seed(fill))
          << name(kind) << " " << static_cast<int>(negatives);
    }
  }
  EXPECT_EQ(kinds, 50);
}

}  // namespace
}  // namespace indexfuzz
