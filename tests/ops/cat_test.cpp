// cat's oracle and rules, by hand. The first entry holds 1, 2, 3, … in row-major
// order, the others -1, -2, -3, ….

#include <fmt/format.h>

#include "rule_cases.h"

namespace indexfuzz {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using List = std::vector<double>;

TEST(Cat, JoinsAlongDim) {
  constexpr std::string_view kEntries =
      "tensors float32 (2, 2)\ntensors float32 (2, 2) order=(1, 0)\n";
  const auto joined = [&](std::string_view dim) {
    return oracle_of("cat functional dim=" + std::string(dim) + "\n" + std::string(kEntries));
  };
  EXPECT_EQ(joined("0"), (List{1, 2, 3, 4, -1, -2, -3, -4}));
  EXPECT_EQ(joined("1"), (List{1, 2, -1, -2, 3, 4, -3, -4}));
  EXPECT_EQ(joined("-1"), joined("1"));
  EXPECT_EQ(joined("-2"), joined("0"));
}

TEST(Cat, EntriesMayDifferAlongDim) {
  constexpr std::string_view kCase =
      "cat functional dim=1\ntensors int64 (2, 1)\ntensors int64 (2, 0)\ntensors int64 (2, 2)\n";
  EXPECT_EQ(oracle_of(kCase), (List{1, -1, -2, 2, -3, -4}));
  EXPECT_EQ(result_shape_of(kCase), (Dims{2, 3}));
  EXPECT_THAT(error_of("cat functional dim=1\ntensors int64 (2, 1)\ntensors int64 (3, 1)\n"),
              HasSubstr("shape must be (2, 1)"));
}

TEST(Cat, AVectorWithoutElementsCountsForNothing) {
  constexpr std::string_view kCase =
      "cat functional dim=-2\ntensors int64 (0)\ntensors int64 (1, 2)\ntensors int64 (0)\n";
  EXPECT_EQ(oracle_of(kCase), (List{-1, -2}));
  EXPECT_EQ(result_shape_of(kCase), (Dims{1, 2}));
  constexpr std::string_view kNothing = "cat functional dim=0\ntensors int64 (0)\n";
  EXPECT_THAT(oracle_of(kNothing), IsEmpty());
  EXPECT_EQ(result_shape_of(kNothing), (Dims{0}));
}

TEST(Cat, DtypesPromote) {
  constexpr std::string_view kCase =
      "cat functional dim=0\ntensors int16 (1)\ntensors float16 (1)\ntensors int8 (1)\n";
  const Expectation e = expectation(written(kCase));
  EXPECT_EQ(e.result.dtype, Dtype::kHalf);
  EXPECT_EQ(oracle_of(kCase), (List{1, -1, -1}));
}

TEST(Cat, AnOutMayHaveAnotherDtypeToWhichTheResultCanBeCast) {
  EXPECT_EQ(oracle_of("cat out dim=0\ntensors int64 (1)\ntensors int64 (2)\nout float16 (3)\n"),
            (List{1, -1, -2}));
  // A double in the middle between two floats is rounded to the even one.
  EXPECT_THAT(bits_of<float>(
                  oracle_of("cat out dim=0\ntensors float64 (1) fill=between1\nout float32 (1)\n",
                            {bytes_of<double>({1 + 0x3p-24}), bytes_of<float>({0})})),
              ElementsAre(1 + 0x1p-22f));
  const auto error = [](std::string_view entries, std::string_view out) {
    return error_of(fmt::format("cat out dim=0\n{}out {} (2)\n", entries, out));
  };
  constexpr std::string_view kIntegers = "tensors int64 (1)\ntensors int64 (1)\n",
                             kSeveral = "tensors int64 (1)\ntensors int32 (1)\n";
  EXPECT_EQ(error(kIntegers, "int8"), "");
  EXPECT_EQ(error(kIntegers, "complex64"), "");
  EXPECT_THAT(error(kIntegers, "bool"), HasSubstr("int64"));
  EXPECT_THAT(error(kSeveral, "float32"), HasSubstr("int64"));
}

TEST(Cat, OnlyATenIsAskedWhichDtypeNothingHas) {
  const auto is_for_aten_alone = [](std::string_view text) {
    const Case c = written(text);
    return operator_of(c).aten_only(c);
  };
  EXPECT_TRUE(is_for_aten_alone("cat functional dim=0\ntensors int16 (1)\ntensors float16 (0)\n"));
  EXPECT_FALSE(is_for_aten_alone("cat functional dim=0\ntensors int16 (1)\ntensors uint8 (0)\n"));
  EXPECT_FALSE(is_for_aten_alone("cat functional dim=0\ntensors int16 (1)\ntensors float16 (1)\n"));
}

TEST(Cat, MovesBytesUnchanged) {
  EXPECT_THAT(bits_of<std::uint16_t>(oracle_of(
                  "cat functional dim=0\ntensors float16 (1)\ntensors float16 (1)\n",
                  {bytes_of<std::uint16_t>({0x8000}), bytes_of<std::uint16_t>({0x7C01})})),
              ElementsAre(0x8000, 0x7C01));
}

TEST(Cat, RulesApplyWhereATenLooks) {
  RuleCases rules("cat");
  constexpr std::string_view kCall = "functional dim=0", kOutForm = "out dim=0";
  constexpr std::string_view kPair = "tensors float32 (1, 2)\ntensors float32 (3, 2)\n",
                             kOne = "tensors float32 (1, 2)\n",
                             kBesideNothing = "tensors float32 (0)\ntensors float32 (1, 2)\n",
                             kVectors = "tensors float32 (1)\ntensors float32 (2)\n",
                             kFlags = "tensors bool (2)\nout bool (2)\n",
                             kOut = "tensors float32 (1, 2)\nout float32 (1, 2)\n",
                             kResized = "tensors float32 (1, 2)\nout float32 (0)\n",
                             kNoElements = "tensors float32 (0, 2)\nout float32 (0, 2)\n";
  EXPECT_EQ(rules.applies("dim_above", kCall, kPair).attributes[0], 2);
  rules.does_not_apply("dim_above", kCall, kBesideNothing);
  EXPECT_EQ(rules.applies("dim_below", kCall, kPair).attributes[0], -3);
  rules.does_not_apply("dim_below", kCall, kBesideNothing);
  EXPECT_EQ(rules.applies("rank_higher", kCall, kPair).operands[1].shape, (Dims{3, 2, 1}));
  rules.does_not_apply("rank_higher", kCall, kBesideNothing);
  EXPECT_EQ(rules.applies("rank_lower", kCall, kPair).operands[1].shape, (Dims{3}));
  rules.does_not_apply("rank_lower", kCall, kOne);
  EXPECT_EQ(rules.applies("size_beside_dim", kCall, kPair).operands[1].shape, (Dims{3, 3}));
  rules.does_not_apply("size_beside_dim", kCall, kVectors);
  const auto second_shape = [&](std::string_view shape) {
    const std::string entry = "tensors float32 " + std::string(shape) + "\n";
    return rules.applies("sizes_of_one_product", kCall, entry + entry).operands[1].shape;
  };
  EXPECT_EQ(second_shape("(1, 2, 3)"), (Dims{1, 3, 2}));
  EXPECT_EQ(second_shape("(4, 1, 2)"), (Dims{4, 2, 1}));
  EXPECT_EQ(second_shape("(1, 2, 2)"), (Dims{1, 1, 4}));
  EXPECT_EQ(second_shape("(2, 1, 1, 5)"), (Dims{2, 5, 1, 1}));
  for (const std::string_view shape : {"(2, 3)", "(2, 1, 1)", "(2, 0, 3)"}) {
    const std::string entry = "tensors float32 " + std::string(shape) + "\n";
    rules.does_not_apply("sizes_of_one_product", kCall, entry + entry);
  }
  EXPECT_EQ(rules.applies("no_promotion", kCall, kPair).operands[1].dtype, Dtype::kFloat8E5M2);
  rules.does_not_apply("no_promotion", kCall, kOne);
  // What counts for nothing need not promote.
  rules.does_not_apply("no_promotion", kCall, kBesideNothing);
  EXPECT_EQ(rules.applies("out_dtype", kOutForm, kOut).operands[1].dtype, Dtype::kInt64);
  rules.does_not_apply("out_dtype", kOutForm, kFlags);
  EXPECT_TRUE(
      has_expanded(rules.applies("out_overlaps_itself", kOutForm, kOut).operands[1].layout));
  rules.does_not_apply("out_overlaps_itself", kOutForm, kResized);
  EXPECT_EQ(rules.applies("out_is_entry", kOutForm, kOut).operands[1].shares_memory_with, 0);
  rules.does_not_apply("out_is_entry", kOutForm, kNoElements);
  for (const Operand& entry : rules.applies("entries_of_rank_zero", kCall, kPair).operands)
    EXPECT_EQ(entry.shape, Dims{});
  rules.does_not_apply("entries_of_rank_zero", kOutForm, kOut);
  rules.all_tried({});
}

}  // namespace
}  // namespace indexfuzz
