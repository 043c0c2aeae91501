// index_add's oracle and rules, by hand. self holds 1, 2, 3, …, source -1, -2, -3, … in row-major
// order, and an alpha filled by index is -1.

#include <cmath>
#include <limits>

#include "rule_cases.h"

namespace indexfuzz {
namespace {

using ::testing::ElementsAre;
using List = std::vector<double>;

TEST(IndexAdd, AddsEverySliceToTheNamedOne) {
  // index = 0, 1, 2, 0
  EXPECT_EQ(oracle_of("index_add functional\nself int32 (3)\nindex int64 (4) fill=ascending\n"
                      "source int32 (4)\nalpha int64 () fill=ones\n"),
            (List{1 - 1 - 4, 0, 0}));
  EXPECT_EQ(oracle_of("index_add in-place dim=-1\nself int64 (2, 2)\nindex int32 (3) fill=last\n"
                      "source int64 (2, 3)\nalpha int64 () fill=ones\n"),
            (List{1, 2 - 1 - 2 - 3, 3, 4 - 4 - 5 - 6}));
  EXPECT_EQ(oracle_of("index_add functional dim=1\nself int64 (2, 2, 2)\nindex int64 () "
                      "fill=last\nsource int64 (2, 1, 2)\nalpha bool () fill=ones\n"),
            (List{1, 2, 3 - 1, 4 - 2, 5, 6, 7 - 3, 8 - 4}));
}

TEST(IndexAdd, AlphaMultipliesTheSource) {
  EXPECT_EQ(oracle_of("index_add functional\nself int32 (2)\nindex int64 (2) fill=last\nsource "
                      "int32 (2)\nalpha int64 ()\n"),
            (List{1, 2 + 1 + 2}));
  EXPECT_EQ(oracle_of("index_add functional\nself int32 (2)\nindex int64 (2) fill=last\nsource "
                      "int32 (2)\nalpha float64 () fill=zeros\n"),
            (List{1, 2}));
  EXPECT_THAT(
      bits_of<std::int16_t>(oracle_of("index_add functional\nself int16 (1)\nindex int64 (1) "
                                      "fill=first\nsource int16 (1)\nalpha float64 ()\n",
                                      {bytes_of<std::int16_t>({5}), bytes_of<std::int64_t>({0}),
                                       bytes_of<std::int16_t>({-7}), bytes_of<double>({100})})),
      ElementsAre(-695));
}

TEST(IndexAdd, AScalarSelfTakesOneIndex) {
  EXPECT_EQ(oracle_of("index_add functional\nself int64 ()\nindex int64 (1) fill=first\nsource "
                      "int64 ()\nalpha int64 ()\n"),
            (List{2}));
  EXPECT_THAT(error_of("index_add functional\nself int64 ()\nindex int64 (2) fill=first\nsource "
                       "int64 ()\nalpha int64 ()\n"),
              ::testing::HasSubstr("index: its shape must be (1)"));
  EXPECT_THAT(error_of("index_add functional\nself int64 (2)\nindex int64 () fill=first\nsource "
                       "int64 ()\nalpha int64 ()\n"),
              ::testing::HasSubstr("source: its shape must be (1)"));
}

TEST(IndexAdd, AnEmptyIndexLeavesSelf) {
  EXPECT_EQ(oracle_of("index_add functional\nself int16 (2, 1)\nindex int32 (0) fill=first\nsource "
                      "int16 (0, 1)\nalpha int64 () fill=ones\n"),
            (List{1, 2}));
}

TEST(IndexAdd, IntegersWrap) {
  EXPECT_THAT(bits_of<std::uint16_t>(
                  oracle_of("index_add functional\nself uint16 (1)\nindex int64 (1) "
                            "fill=first\nsource uint16 (1)\nalpha int64 ()\n",
                            {bytes_of<std::uint16_t>({3}), bytes_of<std::int64_t>({0}),
                             bytes_of<std::uint16_t>({65535}), bytes_of<std::int64_t>({65535})})),
              ElementsAre(4));
  EXPECT_THAT(bits_of<std::int8_t>(
                  oracle_of("index_add functional\nself int8 (1)\nindex int64 (1) fill=first\n"
                            "source int8 (1)\nalpha int64 ()\n",
                            {bytes_of<std::int8_t>({100}), bytes_of<std::int64_t>({0}),
                             bytes_of<std::int8_t>({50}), bytes_of<std::int64_t>({2})})),
              ElementsAre(-56));
  EXPECT_THAT(
      bits_of<std::int64_t>(oracle_of(
          "index_add functional\nself int64 (1)\nindex int64 (1) fill=first\nsource int64 (1)\n"
          "alpha int64 ()\n",
          {bytes_of<std::int64_t>({7}), bytes_of<std::int64_t>({0}),
           bytes_of<std::int64_t>({std::numeric_limits<std::int64_t>::min()}),
           bytes_of<std::int64_t>({-1})})),
      ElementsAre(std::numeric_limits<std::int64_t>::min() + 7));
}

TEST(IndexAdd, BoolsAreOredWhereAlphaIsTrue) {
  constexpr std::string_view kBody =
      "index_add functional\nself bool (3)\nindex int64 (4) fill=first\nsource bool (4)\nalpha "
      "float64 ()\n";
  const auto self = bytes_of<std::uint8_t>({0, 1, 0}),
             source = bytes_of<std::uint8_t>({1, 1, 1, 0});
  const auto index = bytes_of<std::int64_t>({0, 0, 1, 2});
  EXPECT_THAT(
      bits_of<std::uint8_t>(oracle_of(kBody, {self, index, source, bytes_of<double>({-3})})),
      ElementsAre(1, 1, 0));
  EXPECT_THAT(bits_of<std::uint8_t>(oracle_of(kBody, {self, index, source, bytes_of<double>({0})})),
              ElementsAre(0, 1, 0));
}

TEST(IndexAdd, AddsInEveryFloatingFormat) {
  // 3 - 5 = -2, by the bits of each format.
  auto sum = [](std::string_view dtype, auto self, auto source) {
    using Bits = decltype(self);
    const std::string name(dtype);
    return bits_of<Bits>(oracle_of("index_add functional\nself " + name +
                                       " (1) fill=sums1\nindex int64 (1) fill=first\nsource " +
                                       name + " (1) fill=sums1\nalpha int64 ()\n",
                                   {bytes_of<Bits>({self}), bytes_of<std::int64_t>({0}),
                                    bytes_of<Bits>({source}), bytes_of<std::int64_t>({-1})}));
  };
  EXPECT_THAT(sum("float64", 3.0, 5.0), ElementsAre(-2.0));
  EXPECT_THAT(sum("float32", 3.0f, 5.0f), ElementsAre(-2.0f));
  EXPECT_THAT(sum("float16", std::uint16_t{0x4200}, std::uint16_t{0x4500}), ElementsAre(0xC000));
  EXPECT_THAT(sum("bfloat16", std::uint16_t{0x4040}, std::uint16_t{0x40A0}), ElementsAre(0xC000));
  EXPECT_THAT(sum("float8_e4m3fn", std::uint8_t{0x44}, std::uint8_t{0x4A}), ElementsAre(0xC0));
  EXPECT_THAT(sum("float8_e5m2", std::uint8_t{0x42}, std::uint8_t{0x45}), ElementsAre(0xC0));
}

TEST(IndexAdd, NarrowFormatsTakeFactorsThatAreIntegers) {
  // 3 + 3 * -5 in bfloat16
  EXPECT_THAT(bits_of<std::uint16_t>(
                  oracle_of("index_add functional\nself bfloat16 (1) fill=sums1\nindex "
                            "int64 (1) fill=first\nsource bfloat16 (1) "
                            "fill=sums1\nalpha int64 () fill=factor1\n",
                            {bytes_of<std::uint16_t>({0x4040}), bytes_of<std::int64_t>({0}),
                             bytes_of<std::uint16_t>({0xC0A0}), bytes_of<std::int64_t>({3})})),
              ElementsAre(0xC140));
  const std::string half =
      "index_add functional\nself float16 (40) fill=sums1\nindex int64 (40) fill=first\nsource "
      "float16 (40) fill=sums1\nalpha ";
  const Case c = written(half + "int64 () fill=factor1\n");
  EXPECT_EQ(operator_of(c).uses(c, 2), 3);
  EXPECT_THAT(error_of(half + "float64 () fill=factor1\n"),
              ::testing::HasSubstr("alpha: it needs fill=index"));
  // What is added three times over still fits into the eleven bits.
  const std::vector<std::byte> source = expectation(c).operands[2];
  double sum = 0;
  for (std::size_t at = 0; at < source.size(); at += 2)
    sum += std::abs(to_double(Dtype::kHalf, &source[at]));
  EXPECT_GT(sum, 0);
  EXPECT_LE(3 * sum, 1024);
}

TEST(IndexAdd, AFactorIsExact) {
  // 3 - 1.5 * 5
  EXPECT_THAT(bits_of<float>(oracle_of("index_add functional\nself float32 (1) fill=sums1\nindex "
                                       "int64 (1) fill=first\nsource float32 (1) "
                                       "fill=sums1\nalpha float64 () fill=factor1\n",
                                       {bytes_of<float>({3}), bytes_of<std::int64_t>({0}),
                                        bytes_of<float>({5}), bytes_of<double>({-1.5})})),
              ElementsAre(-4.5f));
  const std::string wide =
      "index_add functional\nself float32 (1) fill=sums2\nindex int64 (1) fill=first\nsource "
      "float32 (1) fill=sums2\nalpha float64 ()";
  EXPECT_EQ(error_of(wide + "\n"), "");
  EXPECT_THAT(error_of(wide + " fill=factor1\n"),
              ::testing::HasSubstr("self: it needs fill=sums1"));
}

TEST(IndexAdd, NoComplexSourceHoldsInfinities) {
  const std::string rest = " (1) fill=sums3\nindex int64 (1) fill=first\nsource ";
  EXPECT_EQ(error_of("index_add functional\nself float32" + rest +
                     "float32 (1) fill=sums3\nalpha int64 () fill=ones\n"),
            "");
  EXPECT_THAT(error_of("index_add functional\nself complex64" + rest +
                       "complex64 (1) fill=sums3\nalpha int64 () fill=ones\n"),
              ::testing::HasSubstr("source: it needs fill=sums1"));
}

TEST(IndexAdd, ZeroTimesAnInfinityIsNoNumber) {
  const std::string call =
      "index_add functional\nself float32 (2) fill=sums1\nindex int64 (2) fill=ascending\nsource "
      "float32 (2) fill=sums3\nalpha ";
  EXPECT_EQ(error_of(call + "float64 () fill=zeros\n"), "");
  EXPECT_THAT(error_of(call + "float64 ()\n"), ::testing::HasSubstr("source: it needs fill=sums1"));
  EXPECT_THAT(
      error_of("index_add functional\nself float16 (1) fill=sums1\nindex int64 (1) fill=first\n"
               "source float16 (1) fill=sums3\nalpha float64 () fill=zeros\n"),
      ::testing::HasSubstr("source: it needs fill=sums1"));
  const auto sums = bits_of<float>(oracle_of(
      call + "float64 () fill=zeros\n",
      {bytes_of<float>({5, 7}), bytes_of<std::int64_t>({0, 1}),
       bytes_of<float>({std::numeric_limits<float>::infinity(), 3}), bytes_of<double>({0})}));
  EXPECT_TRUE(std::isnan(sums[0]));
  EXPECT_EQ(sums[1], 7);
}

TEST(IndexAdd, ComplexNumbersMultiply) {
  // 1+2i + (10+20i)(-1+1i) = 1+2i - 30 - 10i
  EXPECT_THAT(bits_of<float>(
                  oracle_of("index_add functional\nself complex64 (1) fill=sums1\nindex int64 (1) "
                            "fill=first\nsource complex64 (1) fill=sums1\nalpha complex128 ()\n",
                            {bytes_of<float>({1, 2}), bytes_of<std::int64_t>({0}),
                             bytes_of<float>({10, 20}), bytes_of<double>({-1, 1})})),
              ElementsAre(-29, -8));
  // 3+5i + (2-3i)(-1+1i) = 3+5i + 1 + 5i
  EXPECT_THAT(bits_of<std::uint16_t>(oracle_of(
                  "index_add functional\nself complex32 (1) fill=sums1\nindex int64 (1) "
                  "fill=first\nsource complex32 (1) fill=sums1\nalpha complex128 ()\n",
                  {bytes_of<std::uint16_t>({0x4200, 0x4500}), bytes_of<std::int64_t>({0}),
                   bytes_of<std::uint16_t>({0x4000, 0xC200}), bytes_of<double>({-1, 1})})),
              ElementsAre(0x4400, 0x4900));
}

TEST(IndexAdd, FloatingPointTakesOnlyWhatSumsExactly) {
  EXPECT_THAT(error_of("index_add functional\nself float32 (2) fill=sums1\nindex int64 (2) "
                       "fill=first\nsource float32 (2)\nalpha int64 ()\n"),
              ::testing::HasSubstr("source: it needs fill=sums1"));
  EXPECT_THAT(error_of("index_add functional\nself float32 (2) fill=sums1\nindex int64 (2) "
                       "fill=first\nsource float32 (2) fill=sums1\nalpha int64 () fill=hash1\n"),
              ::testing::HasSubstr("alpha: it needs fill=factor1"));
  EXPECT_EQ(error_of("index_add functional\nself int32 (2)\nindex int64 (2) fill=first\nsource "
                     "int32 (2)\nalpha int64 () fill=hash1\n"),
            "");
}

TEST(IndexAdd, SumsAreRoundedWhereNoIndexIsThereTwice) {
  const std::string self = "index_add functional\nself float16 (4) fill=sums4\nindex int64 ";
  const std::string rest = "\nsource float16 (3) fill=sums4\nalpha int64 ()\n";
  EXPECT_EQ(error_of(self + "(3) fill=ascending" + rest), "");
  EXPECT_THAT(error_of(self + "(3) fill=random1" + rest),
              ::testing::HasSubstr("self: it needs fill=sums1"));
  EXPECT_THAT(error_of(self + "(3) fill=ascending expanded=(0) repeats=(0)" + rest),
              ::testing::HasSubstr("it needs fill="));
}

TEST(IndexAdd, AFactorOfManyBitsIsExact) {
  // Of doubles only; a float would have made 1 of it.
  EXPECT_THAT(
      numbers(Dtype::kDouble,
              oracle_of("index_add functional\nself float64 (1) fill=sums1\nindex int64 (2) "
                        "fill=first\nsource float64 (2) fill=sums1\nalpha float64 () "
                        "fill=factor2\n",
                        {bytes_of<double>({7}), bytes_of<std::int64_t>({0, 0}),
                         bytes_of<double>({1000, -3}), bytes_of<double>({1 + 0x1p-29})})),
      ElementsAre(1004 + 997 * 0x1p-29));
}

TEST(IndexAdd, AComplexAlphaCountsTwice) {
  auto uses_of = [](std::string_view alpha) {
    const Case c = written(
        "index_add functional\nself complex64 (2) fill=sums1\nindex int64 (2) fill=first\nsource "
        "complex64 (2) fill=sums1\nalpha " +
        std::string(alpha) + " ()\n");
    return operator_of(c).uses(c, 2);
  };
  EXPECT_EQ(uses_of("complex128"), 2);
  EXPECT_EQ(uses_of("float64"), 1);
}

TEST(IndexAdd, RulesApplyWhereATenLooks) {
  RuleCases rules("index_add");
  constexpr std::string_view kPlain =
      "self int64 (3, 2)\nindex int32 (2) fill=first\nsource int64 (2, 2)\nalpha int64 ()\n";
  constexpr std::string_view kEmpty =
      "self int64 (3, 2)\nindex int64 (0) fill=first\nsource int64 (0, 2)\nalpha int64 ()\n";
  constexpr std::string_view kNoElements =
      "self int64 (3, 0)\nindex int64 (2) fill=first\nsource int64 (2, 0)\nalpha int64 ()\n";
  constexpr std::string_view kScalar =
      "self int64 ()\nindex int64 () fill=first\nsource int64 ()\nalpha int64 ()\n";
  constexpr std::string_view kOut =
      "self int64 (3, 2)\nindex int64 (3) fill=first\nsource int64 (3, 2)\nalpha int64 ()\n"
      "out int64 (3, 2)\n";
  EXPECT_EQ(rules.applies("index_below", "functional", kPlain).operands[1].poke_value, -1);
  rules.does_not_apply("index_below", "functional", kEmpty);
  rules.does_not_apply("index_below", "functional", kNoElements);
  EXPECT_EQ(rules.applies("index_above", "functional dim=-2", kPlain).operands[1].poke_value, 3);
  rules.does_not_apply("index_above", "functional", kNoElements);
  EXPECT_EQ(rules.applies("index_rank", "functional", kEmpty).operands[1].shape, (Dims{0, 1}));
  EXPECT_EQ(rules.applies("index_dtype", "functional", kEmpty).operands[1].dtype, Dtype::kFloat);
  EXPECT_EQ(rules.applies("index_dtype_narrow", "functional", kEmpty).operands[1].dtype,
            Dtype::kInt16);
  EXPECT_EQ(rules.applies("dim_above", "functional", kPlain).attributes[0], 2);
  EXPECT_EQ(rules.applies("source_dtype", "functional", kEmpty).operands[2].dtype, Dtype::kInt32);
  EXPECT_EQ(rules.applies("source_rank", "functional", kScalar).operands[2].shape, (Dims{1, 1}));
  EXPECT_EQ(rules.applies("source_count", "functional", kPlain).operands[2].shape, (Dims{1, 2}));
  EXPECT_EQ(rules.applies("source_count", "functional", kEmpty).operands[2].shape, (Dims{1, 2}));
  rules.does_not_apply("source_count", "functional", kScalar);
  EXPECT_EQ(rules.applies("source_shape", "functional", kPlain).operands[2].shape, (Dims{2, 1}));
  rules.does_not_apply("source_shape", "functional", kScalar);
  EXPECT_EQ(rules.applies("alpha_complex", "functional", kPlain).operands[3].dtype,
            Dtype::kComplexDouble);
  rules.does_not_apply("alpha_complex", "functional", kEmpty);
  rules.does_not_apply("alpha_complex", "functional", kNoElements);
  rules.does_not_apply(
      "alpha_complex", "functional",
      "self bool (2)\nindex int64 (1) fill=first\nsource bool (1)\nalpha int64 ()\n");
  EXPECT_EQ(rules.applies("source_is_written", "in-place", kPlain).operands[2].shares_memory_with,
            0);
  EXPECT_EQ(rules.applies("source_is_written", "out", kOut).operands[4].shares_memory_with, 2);
  rules.does_not_apply("source_is_written", "functional", kPlain);
  rules.does_not_apply("source_is_written", "in-place", kEmpty);
  EXPECT_TRUE(has_expanded(
      rules.applies("written_overlaps_itself", "in-place", kEmpty).operands[0].layout));
  EXPECT_TRUE(
      has_expanded(rules.applies("written_overlaps_itself", "out", kOut).operands[4].layout));
  rules.does_not_apply("written_overlaps_itself", "functional", kPlain);
  rules.does_not_apply("written_overlaps_itself", "in-place", kScalar);
  EXPECT_EQ(rules.applies("out_dtype", "out", kOut).operands[4].dtype, Dtype::kDouble);
  rules.does_not_apply("out_dtype", "in-place", kPlain);
  EXPECT_EQ(rules.applies("self_empty", "in-place", kPlain).operands[0].shape[0], 0);
  rules.does_not_apply("self_empty", "functional", kEmpty);
  rules.does_not_apply("self_empty", "functional", kNoElements);
  rules.does_not_apply("self_empty", "out", kOut);
  EXPECT_EQ(rules.applies("index_is_written", "in-place", kPlain).operands[1].shares_memory_with,
            0);
  EXPECT_EQ(rules
                .applies("index_is_written", "out",
                         "self int32 (3, 2)\nindex int64 (3) fill=first\nsource int32 (3, "
                         "2)\nalpha int64 ()\nout int32 (3, 2)\n")
                .operands[4]
                .shares_memory_with,
            1);
  rules.does_not_apply("index_is_written", "out", kOut);
  rules.does_not_apply("index_is_written", "functional", kPlain);
  rules.does_not_apply("index_is_written", "in-place", kEmpty);
  EXPECT_EQ(rules.applies("dim_below", "functional", kPlain).attributes[0], -3);
  EXPECT_EQ(rules.applies("source_rank_lower", "functional", kPlain).operands[2].shape, Dims{2});
  EXPECT_EQ(rules
                .applies("source_rank_lower", "functional",
                         "self int64 (3)\nindex int64 (2) fill=first\nsource int64 (2)\n"
                         "alpha int64 ()\n")
                .operands[2]
                .shape,
            Dims{});
  rules.does_not_apply("source_rank_lower", "functional", kScalar);
  rules.does_not_apply("source_rank_lower", "functional",
                       "self int64 (3)\nindex int64 (1) fill=first\nsource int64 (1)\n"
                       "alpha int64 ()\n");
  EXPECT_EQ(rules.applies("source_rank_of_one_slice", "functional", kScalar).operands[2].shape,
            Dims{1});
  EXPECT_EQ(rules
                .applies("source_rank_of_one_slice", "functional",
                         "self int64 (3)\nindex int64 (1) fill=first\nsource int64 (1)\n"
                         "alpha int64 ()\n")
                .operands[2]
                .shape,
            Dims{});
  rules.does_not_apply("source_rank_of_one_slice", "functional", kPlain);
  rules.all_tried({"index_rank", "index_dtype", "index_dtype_narrow", "dim_above", "dim_below",
                   "source_dtype", "source_rank"});
}

}  // namespace
}  // namespace indexfuzz
