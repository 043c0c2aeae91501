// index_put's oracle and rules, by hand. self holds 1, 2, 3, …, values -1, -2, -3, … in row-major
// order.

#include "rule_cases.h"

namespace indexfuzz {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using List = std::vector<double>;

TEST(IndexPut, WritesEachValueToItsPosition) {
  EXPECT_EQ(oracle_of("index_put functional\nself float32 (3)\nvalues float32 (2)\nindices int64 "
                      "(2) fill=descending\n"),
            (List{1, -2, -1}));
  EXPECT_EQ(oracle_of("index_put in-place\nself float32 (2, 2)\nvalues float32 (1, 2)\nindices "
                      "int32 (1) fill=last\n"),
            (List{1, 2, -1, -2}));
}

TEST(IndexPut, ANegativePositionCountsFromTheEnd) {
  EXPECT_EQ(oracle_of("index_put functional\nself float32 (3)\nvalues float32 (2)\n"
                      "indices int64 (2) fill=descending negatives=all\n"),
            (List{1, -2, -1}));
  EXPECT_EQ(bits_of<std::int64_t>(
                expectation(written("index_put functional\nself float32 (3)\nvalues float32 (2)\n"
                                    "indices int64 (2) fill=descending negatives=all\n"))
                    .operands[2]),
            (std::vector<std::int64_t>{-1, -2}));
}

TEST(IndexPut, AnyContributorOfADuplicateIsAdmissible) {
  // Positions 0, 1, 2, 0.
  const Expectation e =
      expectation(written("index_put functional\nself float32 (3)\nvalues float32 (4)\nindices "
                          "int64 (4) fill=ascending\n"));
  EXPECT_EQ(numbers(e.result.dtype, e.values), (List{-4, -2, -3}));
  EXPECT_EQ(e.agreement, Agreement::kAnyContributor);
  ASSERT_EQ(e.admissible.size(), 3u);
  EXPECT_THAT(e.admissible[0], ElementsAre(bytes_of<float>({-1}), bytes_of<float>({-4})));
  EXPECT_THAT(e.admissible[1], IsEmpty());
}

TEST(IndexPut, AccumulateAddsEveryDuplicate) {
  constexpr std::string_view kCase =
      "index_put functional accumulate=true\nself int32 (3)\nvalues int32 (4)\nindices int64 (4) "
      "fill=ascending\n";
  EXPECT_EQ(oracle_of(kCase), (List{1 - 1 - 4, 0, 0}));
  EXPECT_EQ(expectation(written(kCase)).agreement, Agreement::kSum);
}

TEST(IndexPut, AccumulatesInEveryFamily) {
  EXPECT_THAT(bits_of<std::uint8_t>(
                  oracle_of("index_put functional accumulate=true\nself bool (2)\nvalues bool "
                            "(2)\nindices int64 (2) fill=first\n",
                            {bytes_of<std::uint8_t>({0, 1}), bytes_of<std::uint8_t>({1, 1}),
                             bytes_of<std::int64_t>({0, 0})})),
              ElementsAre(1, 1));
  EXPECT_THAT(bits_of<std::uint8_t>(
                  oracle_of("index_put functional accumulate=true\nself uint8 (2)\nvalues uint8 "
                            "()\nindices int64 (2) fill=first\n",
                            {bytes_of<std::uint8_t>({200, 1}), bytes_of<std::uint8_t>({100}),
                             bytes_of<std::int64_t>({0, 0})})),
              ElementsAre(144, 1));
  EXPECT_THAT(bits_of<std::uint16_t>(oracle_of(
                  "index_put functional accumulate=true\nself float16 (1) fill=sums1\n"
                  "values float16 (2) fill=sums1\nindices int64 (2) fill=first\n",
                  {bytes_of<std::uint16_t>({0x3C00}), bytes_of<std::uint16_t>({0x4000, 0x4500}),
                   bytes_of<std::int64_t>({-1, 0})})),
              ElementsAre(0x4800));
}

TEST(IndexPut, AMaskStandsForItsSetElements) {
  EXPECT_EQ(oracle_of("index_put functional\nself float32 (2, 2)\nvalues float32 (2)\n"
                      "indices bool (2, 2) fill=mask_back popcount=2\n"),
            (List{1, 2, -1, -2}));
  EXPECT_EQ(oracle_of("index_put functional\nself float32 (2, 2)\nvalues float32 (1, 2)\n"
                      "indices bool (2) fill=mask_back popcount=1\n"),
            (List{1, 2, -1, -2}));
  EXPECT_EQ(oracle_of("index_put functional\nself float32 (2)\nvalues float32 (1)\nindices bool "
                      "(2) fill=mask_front\n"),
            (List{1, 2}));
}

TEST(IndexPut, AnyNumberButZeroSetsAUint8Mask) {
  EXPECT_THAT(bits_of<float>(oracle_of("index_put functional\nself float32 (3)\nvalues float32 "
                                       "(2)\nindices uint8 (3) fill=mask_front popcount=2\n",
                                       {bytes_of<float>({1, 2, 3}), bytes_of<float>({-1, -2}),
                                        bytes_of<std::uint8_t>({255, 0, 2})})),
              ElementsAre(-1, 2, -2));
}

TEST(IndexPut, AGapKeepsItsDimension) {
  EXPECT_EQ(
      oracle_of("index_put functional\nself float32 (2, 3)\nvalues float32 (2, 2)\nindices none\n"
                "indices int64 (2) fill=descending\n"),
      (List{1, -2, -1, 4, -4, -3}));
}

TEST(IndexPut, GapsAloneNameEverything) {
  EXPECT_EQ(oracle_of("index_put functional accumulate=true\nself int64 (2, 2)\n"
                      "values int64 (2)\nindices none\n"),
            (List{0, 0, 2, 2}));
}

TEST(IndexPut, NeighboursKeepTheirPlace) {
  // self[:, 1, [0, 1]]: values are (2, 2) by (first dimension, position).
  EXPECT_EQ(
      oracle_of(
          "index_put functional\nself float32 (2, 2, 2)\nvalues float32 (2, 2)\nindices none\n"
          "indices int64 (1) fill=last\nindices int64 (2) fill=ascending\n"),
      (List{1, 2, -1, -2, 5, 6, -3, -4}));
}

TEST(IndexPut, SeparatedOnesMoveToTheFront) {
  // self[1, :, [0, 1]]: values are (2, 2) by (position, second dimension).
  EXPECT_EQ(
      oracle_of("index_put functional\nself float32 (2, 2, 2)\nvalues float32 (2, 2)\n"
                "indices int64 (1) fill=last\nindices none\nindices int64 (2) fill=ascending\n"),
      (List{1, 2, 3, 4, -1, -3, -2, -4}));
}

TEST(IndexPut, PositionsBroadcastTogether) {
  // self[[[0], [1]], [0, 1, 2]] names every element once.
  EXPECT_EQ(oracle_of("index_put functional\nself float32 (2, 3)\nvalues float32 (2, 3)\n"
                      "indices int64 (2, 1) fill=ascending\nindices int64 (3) fill=ascending\n"),
            (List{-1, -2, -3, -4, -5, -6}));
  // self[[1], [2, 1]]
  EXPECT_EQ(oracle_of("index_put functional\nself float32 (2, 3)\nvalues float32 (2)\n"
                      "indices int64 (1) fill=last\nindices int64 (2) fill=descending\n"),
            (List{1, 2, 3, 4, -2, -1}));
  EXPECT_EQ(oracle_of("index_put functional\nself float32 (3)\nvalues float32 ()\nindices int64 () "
                      "fill=last\n"),
            (List{1, 2, -1}));
}

TEST(IndexPut, AMaskAndPositionsGoTogether) {
  // self[[True, True], [2, 1]]
  EXPECT_EQ(
      oracle_of("index_put functional\nself float32 (2, 3)\nvalues float32 (2)\n"
                "indices bool (2) fill=mask_front popcount=2\nindices int64 (2) fill=descending\n"),
      (List{1, 2, -1, 4, -2, 6}));
}

TEST(IndexPut, ValuesBroadcast) {
  for (const std::string_view values :
       {"values float32 ()", "values float32 (1)", "values float32 (1, 1)"}) {
    EXPECT_EQ(oracle_of("index_put functional\nself float32 (2, 2)\n" + std::string(values) +
                        "\nindices int64 (1) fill=first\n"),
              (List{-1, -1, 3, 4}));
  }
  EXPECT_EQ(oracle_of("index_put functional\nself float32 (2, 2)\nvalues float32 (2, 1)\nindices "
                      "int64 (2) fill=descending\n"),
            (List{-2, -2, -1, -1}));
}

TEST(IndexPut, NothingIsWrittenWhereNothingIsNamed) {
  EXPECT_EQ(oracle_of("index_put functional\nself float32 (2)\nvalues float32 (0)\nindices int64 "
                      "(0) fill=first\n"),
            (List{1, 2}));
  EXPECT_THAT(oracle_of("index_put functional\nself float32 (0)\nvalues float32 (1)\nindices int64 "
                        "(0) fill=first\n"),
              IsEmpty());
}

TEST(IndexPut, RulesApplyWhereATenLooks) {
  RuleCases rules("index_put");
  constexpr std::string_view kPlain =
      "self float32 (2, 3)\nvalues float32 (2, 3)\nindices int64 (2) fill=ascending\n";
  constexpr std::string_view kOne =
      "self float32 (2)\nvalues float32 (1)\nindices int64 (2) fill=ascending\n";
  constexpr std::string_view kMask =
      "self float32 (2)\nvalues float32 (2)\nindices bool (2) fill=mask_front popcount=2\n";
  constexpr std::string_view kMaskedFill =
      "self float32 (2)\nvalues float32 ()\nindices bool (2) fill=mask_front popcount=2\n";
  constexpr std::string_view kNothing =
      "self float32 (2)\nvalues float32 (0)\nindices int64 (0) fill=first\n";
  EXPECT_EQ(rules.applies("index_below", "functional", kPlain).operands[2].poke_value, -3);
  rules.does_not_apply("index_below", "functional", kMask);
  rules.does_not_apply("index_below", "functional",
                       "self float32 (2, 0)\nvalues float32 (1)\nindices int64 (2) fill=first\n");
  EXPECT_EQ(rules.applies("index_above", "functional", kPlain).operands[2].poke_value, 2);
  rules.does_not_apply("index_above", "functional", kNothing);
  EXPECT_EQ(rules.applies("index_dtype", "functional", kNothing).operands[2].dtype, Dtype::kFloat);
  EXPECT_EQ(rules.applies("index_dtype_narrow", "functional", kNothing).operands[2].dtype,
            Dtype::kInt16);
  rules.does_not_apply("index_dtype", "functional", kMask);
  rules.does_not_apply("index_dtype_narrow", "functional", kMask);
  EXPECT_EQ(rules.applies("values_dtype", "functional", kMask).operands[1].dtype, Dtype::kInt32);
  rules.does_not_apply("values_dtype", "functional", kMaskedFill);
  EXPECT_EQ(rules.applies("values_shape", "functional", kPlain).operands[1].shape, (Dims{2, 4}));
  EXPECT_EQ(rules
                .applies("values_shape", "functional",
                         "self float32 (2)\nvalues float32 (1)\nindices int64 (1) fill=first\n")
                .operands[1]
                .shape,
            (Dims{3}));
  rules.does_not_apply("values_shape", "functional", kMaskedFill);
  rules.does_not_apply("values_shape", "functional", kNothing);
  EXPECT_EQ(rules.applies("mask_shape", "functional", kMask).operands[2].shape, (Dims{3}));
  rules.does_not_apply("mask_shape", "functional", kPlain);
  constexpr std::string_view kTwo =
      "self float32 (2, 3)\nvalues float32 (2)\nindices int64 (2) fill=ascending\nindices int64 "
      "(2) "
      "fill=ascending\n";
  EXPECT_EQ(rules.applies("later_index_below", "functional", kTwo).operands[3].poke_value, -4);
  EXPECT_EQ(rules.applies("later_index_above", "functional", kTwo).operands[3].poke_value, 3);
  EXPECT_EQ(rules.applies("later_index_dtype", "functional", kTwo).operands[3].dtype,
            Dtype::kFloat);
  for (const std::string_view rule :
       {"later_index_below", "later_index_above", "later_index_dtype"})
    rules.does_not_apply(rule, "functional", kPlain);
  EXPECT_EQ(rules.applies("mask_longer", "functional", kMask).operands[2].shape, (Dims{3}));
  EXPECT_EQ(rules.applies("mask_shorter", "functional", kMask).operands[2].shape, (Dims{1}));
  rules.does_not_apply("mask_longer", "functional", kPlain);
  rules.does_not_apply("mask_shorter", "functional", kPlain);
  EXPECT_EQ(rules.applies("too_many_indices", "functional", kOne).operands.size(), 4u);
  rules.does_not_apply("too_many_indices", "functional", kPlain);
  EXPECT_EQ(rules.applies("no_indices", "functional", kPlain).operands.size(), 2u);
  EXPECT_EQ(rules.applies("self_is_values", "in-place", kMask).operands[1].shares_memory_with, 0);
  rules.does_not_apply("self_is_values", "functional", kMask);
  rules.does_not_apply("self_is_values", "in-place", kMaskedFill);
  EXPECT_TRUE(
      has_expanded(rules.applies("self_overlaps_itself", "in-place", kPlain).operands[0].layout));
  rules.does_not_apply("self_overlaps_itself", "functional", kPlain);
  rules.does_not_apply("self_overlaps_itself", "in-place", kNothing);
  EXPECT_EQ(rules.applies("self_empty", "functional", kPlain).operands[0].shape, (Dims{0, 3}));
  rules.does_not_apply("self_empty", "functional", kMask);
  rules.does_not_apply("self_empty", "functional", kNothing);
  EXPECT_EQ(rules.applies("self_is_index", "in-place", kPlain).operands[2].shares_memory_with, 0);
  rules.does_not_apply("self_is_index", "functional", kPlain);
  rules.does_not_apply("self_is_index", "in-place", kMask);
  rules.does_not_apply("self_is_index", "in-place", kNothing);
  EXPECT_EQ(rules.applies("indices_shape", "functional", kTwo).operands[2].shape, Dims{3});
  rules.does_not_apply("indices_shape", "functional", kPlain);
  EXPECT_EQ(rules
                .applies("mask_counts", "functional",
                         "self float32 (3, 4)\nvalues float32 ()\nindices bool (3) "
                         "fill=mask_front popcount=2\nindices int64 (2) fill=ascending\n")
                .operands[2]
                .fill.popcount,
            3u);
  rules.does_not_apply("mask_counts", "functional", kTwo);
  rules.does_not_apply("indices_shape", "functional", kMask);
  EXPECT_EQ(rules.applies("values_shape_in_front", "functional", kPlain).operands[1].shape,
            (Dims{3, 3}));
  rules.does_not_apply("values_shape_in_front", "functional", kOne);
  rules.does_not_apply(
      "values_shape_in_front", "functional",
      "self float32 (2, 0)\nvalues float32 (1, 0)\nindices int64 (2) fill=first\n");
  rules.all_tried({"no_indices"});
}

}  // namespace
}  // namespace indexfuzz
