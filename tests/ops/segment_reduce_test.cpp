// segment_reduce's oracle and rules, by hand.

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "ops/numbers/mean.h"
#include "ops/repair/repair.h"
#include "rule_cases.h"

namespace indexfuzz {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsNan;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Of a row of data. `form`: "lengths" or "offsets".
std::vector<double> segments_of(std::string_view form, std::string_view reduce,
                                const std::vector<std::int64_t>& positions,
                                const std::vector<double>& data) {
  const bool is_lengths = form == "lengths";
  return bits_of<double>(
      oracle_of(fmt::format("segment_reduce.{0} functional axis=0 reduce={1}\n{0} int64 ({2}) "
                            "fill={3}\ndata float64 ({4}) fill={5}\n",
                            form, reduce, positions.size(), is_lengths ? "lengths1" : "offsets5",
                            data.size(), reduce == "prod" ? "products1" : "sums1"),
                {bytes_of<std::int64_t>(positions), bytes_of<double>(data)}));
}

TEST(SegmentReduce, UnitesEachSegment) {
  const std::vector<double> data{2, 3, 4, -5};
  EXPECT_THAT(segments_of("lengths", "sum", {1, 3}, data), ElementsAre(2, 2));
  EXPECT_THAT(segments_of("lengths", "prod", {1, 3}, data), ElementsAre(2, -60));
  EXPECT_THAT(segments_of("lengths", "mean", {2, 2}, data), ElementsAre(2.5, -0.5));
  EXPECT_THAT(segments_of("lengths", "max", {1, 2, 1}, data), ElementsAre(2, 4, -5));
  EXPECT_THAT(segments_of("lengths", "min", {1, 2, 1}, data), ElementsAre(2, 3, -5));
}

TEST(SegmentReduce, OffsetsAreWhereSegmentsBegin) {
  EXPECT_THAT(segments_of("offsets", "sum", {0, 1, 1, 4}, {2, 3, 4, -5}), ElementsAre(2, 0, 2));
  EXPECT_THAT(segments_of("offsets", "mean", {0, 4}, {2, 3, 4, -5}), ElementsAre(1));
}

TEST(SegmentReduce, NoElementsAreTheNeutralOneOrNaN) {
  const std::vector<double> data{7};
  EXPECT_THAT(segments_of("lengths", "sum", {0, 1}, data), ElementsAre(0, 7));
  EXPECT_THAT(segments_of("lengths", "prod", {0, 1}, data), ElementsAre(1, 7));
  EXPECT_THAT(segments_of("lengths", "mean", {0, 1}, data), ElementsAre(IsNan(), 7));
  EXPECT_THAT(segments_of("lengths", "max", {0, 1}, data), ElementsAre(-kInfinity, 7));
  EXPECT_THAT(segments_of("lengths", "min", {0, 1}, data), ElementsAre(kInfinity, 7));
}

TEST(SegmentReduce, NaNIsTheLargestAndTheSmallest) {
  const double nan = std::nan("");
  for (const std::string_view reduce : {"max", "min"}) {
    EXPECT_THAT(segments_of("lengths", reduce, {3, 1}, {1, nan, 2, 3}), ElementsAre(IsNan(), 3));
    EXPECT_THAT(segments_of("lengths", reduce, {3, 1}, {nan, 1, 2, 3}), ElementsAre(IsNan(), 3));
  }
}

TEST(SegmentReduce, EachRowHasSegmentsOfItsOwn) {
  constexpr std::string_view kText =
      "segment_reduce.lengths functional axis=1 reduce=sum\nlengths int64 (2, 2) "
      "fill=lengths1\ndata float64 (2, 3, 2) fill=sums1\n";
  EXPECT_THAT(bits_of<double>(
                  oracle_of(kText, {bytes_of<std::int64_t>({1, 2, 3, 0}),
                                    bytes_of<double>({1, 2, 3, 4, 5, 6, 10, 20, 30, 40, 50, 60})})),
              ElementsAre(1, 2, 8, 10, 90, 120, 0, 0));
  EXPECT_EQ(result_shape_of(kText), (Dims{2, 2, 2}));
}

TEST(SegmentReduce, AnInitialIsATermOfEachSegmentButNotCounted) {
  const auto with_initial = [](std::string_view reduce) {
    return bits_of<float>(oracle_of(
        fmt::format("segment_reduce.lengths_initial functional axis=0 reduce={0}\nlengths int32 "
                    "(3) fill=lengths1\ndata float32 (3) fill={1}\ninitial float64 () fill={2}\n",
                    reduce, reduce == "prod" ? "products1" : "sums1",
                    reduce == "prod" ? "factor1" : "sums1"),
        {bytes_of<std::int32_t>({2, 0, 1}), bytes_of<float>({4, 6, 9}), bytes_of<double>({5})}));
  };
  EXPECT_THAT(with_initial("sum"), ElementsAre(15, 5, 14));
  EXPECT_THAT(with_initial("prod"), ElementsAre(120, 5, 45));
  EXPECT_THAT(with_initial("mean"), ElementsAre(7.5, 5, 14));
  EXPECT_THAT(with_initial("max"), ElementsAre(6, 5, 9));
  EXPECT_THAT(with_initial("min"), ElementsAre(4, 5, 5));
}

TEST(SegmentReduce, AMeanMayBeOffByTheRoundingsOfItsSegment) {
  const Expectation e =
      expectation(written("segment_reduce.lengths functional axis=0 reduce=mean\nlengths int64 (2) "
                          "fill=lengths1\ndata float32 (5) fill=sums1\n"));
  ASSERT_THAT(bits_of<std::int64_t>(e.operands[0]), ElementsAre(2, 3));
  ASSERT_EQ(e.tolerance.size(), 2u);
  for (std::size_t segment = 0, from = 0; segment < 2; ++segment) {
    std::vector<Contribution> terms;
    for (std::size_t i = 0; i < 2 + segment; ++i, ++from)
      terms.push_back({0, &e.operands[1][from * sizeof(float)]});
    EXPECT_EQ(e.tolerance[segment], mean_tolerance(Dtype::kFloat, terms));
  }
}

TEST(SegmentReduce, SumsWithAnInitialAreExact) {
  for (const std::string_view dtype : {"float16", "bfloat16", "float32", "float64"}) {
    for (const std::string_view initial : {"float64", "int64"}) {
      for (int seed = 0; seed < 20; ++seed) {
        Case c = written(fmt::format(
            "segment_reduce.offsets_initial functional axis=0 reduce=sum\noffsets int64 (3) "
            "fill=offsets5 seed={2}\ndata {0} (9) fill=sums1\ninitial {1} () fill=sums1\n",
            dtype, initial, seed));
        for (Operand& operand : c.operands) {
          operand.fill.seed = static_cast<std::uint32_t>(seed);
          if (&operand != &c.operands[0]) operand.fill.kind = FillKind::kSums2;
        }
        repair(c, Limits{});
        const Expectation e = expectation(c);
        const std::vector<double> data = numbers(e.result.dtype, e.operands[1]);
        const std::vector<std::int64_t> offsets = bits_of<std::int64_t>(e.operands[0]);
        const double first = initial == "int64"
                                 ? static_cast<double>(bits_of<std::int64_t>(e.operands[2])[0])
                                 : bits_of<double>(e.operands[2])[0];
        const std::vector<double> sums = numbers(e.result.dtype, e.values);
        for (std::size_t s = 0; s < 2; ++s)
          EXPECT_EQ(sums[s], std::accumulate(data.begin() + offsets[s],
                                             data.begin() + offsets[s + 1], first));
      }
    }
  }
}

TEST(SegmentReduce, AnEmptyAxisMayHaveNoSegments) {
  EXPECT_EQ(result_shape_of("segment_reduce.lengths functional axis=-2 reduce=sum\nlengths int64 "
                            "(2, 0) fill=lengths1\ndata float32 (2, 0, 3) fill=sums1\n"),
            (Dims{2, 0, 3}));
  EXPECT_EQ(result_shape_of("segment_reduce.offsets functional axis=0 reduce=max\noffsets int64 "
                            "(1) fill=offsets5\ndata float32 (0, 2) fill=index\n"),
            (Dims{0, 2}));
  EXPECT_THAT(error_of("segment_reduce.lengths functional axis=0 reduce=sum\nlengths int64 (0) "
                       "fill=lengths1\ndata float32 (2) fill=sums1\n"),
              HasSubstr("lengths"));
}

TEST(SegmentReduce, LengthsOfARowShareNoMemory) {
  EXPECT_EQ(error_of("segment_reduce.lengths functional axis=1 reduce=sum\nlengths int64 (3, 2) "
                     "expanded=(0) fill=lengths1 repeats=(0)\ndata float32 (3, 4) fill=sums1\n"),
            "");
  EXPECT_NE(error_of("segment_reduce.lengths functional axis=1 reduce=sum\nlengths int64 (3, 2) "
                     "expanded=(1) fill=lengths1 repeats=(1)\ndata float32 (3, 4) fill=sums1\n"),
            "");
}

TEST(SegmentReduce, RulesApplyWhereATenLooks) {
  RuleCases rules("segment_reduce");
  constexpr std::string_view kLengths = ".lengths functional axis=0 reduce=sum unsafe=true";
  constexpr std::string_view kOffsets = ".offsets functional axis=0 reduce=sum";
  constexpr std::string_view kRows = ".lengths functional axis=1 reduce=sum";
  const std::string lengths = "lengths int64 (3) fill=lengths1\ndata float32 (6, 2) fill=sums1\n";
  const std::string offsets = "offsets int64 (4) fill=offsets5\ndata float32 (6, 2) fill=sums1\n";
  const std::string rows = "lengths int64 (3, 3) fill=lengths1\ndata float32 (3, 4) fill=sums1\n";
  const std::string empty = "lengths int64 (3) fill=lengths1\ndata float32 (6, 0) fill=sums1\n";
  const std::string no_elements =
      "offsets int64 (4) fill=offsets5\ndata float32 (6, 0) fill=sums1\n";

  const Case negative = rules.applies("length_negative", kRows, rows);
  EXPECT_EQ(negative.operands[0].poke_value, -4);
  EXPECT_EQ(negative.operands[0].poke_position, 8);
  EXPECT_EQ(negative.operands[0].fill.repeats, 1);
  EXPECT_EQ(rules.applies("length_negative", kLengths, lengths).attributes[2], 0);
  rules.does_not_apply("length_negative", kLengths,
                       "lengths int64 (2) fill=lengths1\ndata float32 (6, 2) fill=sums1\n");
  EXPECT_EQ(rules.applies("length_above", kLengths, lengths).operands[0].poke_value, 7);
  EXPECT_EQ(rules.applies("lengths_fall_short", kLengths, lengths).operands[0].poke_value, 1);
  for (const std::string_view rule : {"length_negative", "length_above", "lengths_fall_short"}) {
    rules.does_not_apply(rule, kLengths, empty);
    rules.does_not_apply(rule, kOffsets, offsets);
  }
  // Three times as much are 2^64 + 5.
  const std::string five = "lengths int64 (3) fill=lengths1\ndata float32 (5, 2) fill=sums1\n";
  const Case wraps = rules.applies("lengths_sum_overflows", kLengths, five);
  EXPECT_EQ(wraps.operands[0].poke_value, 6148914691236517207);
  EXPECT_EQ(wraps.operands[0].fill.repeats, 1);
  EXPECT_EQ(wraps.attributes[2], 0);
  rules.does_not_apply("lengths_sum_overflows", kLengths, lengths);  // 6 is three times 2 alone
  rules.does_not_apply("lengths_sum_overflows", kLengths,
                       "lengths int32 (3) fill=lengths1\ndata float32 (5, 2) fill=sums1\n");
  rules.does_not_apply("lengths_sum_overflows", kOffsets, offsets);

  EXPECT_EQ(rules.applies("offset_below", kOffsets, offsets).operands[0].poke_value, -1);
  EXPECT_EQ(rules.applies("offset_above", kOffsets, offsets).operands[0].poke_value, 7);
  const Case falls = rules.applies("offsets_fall", kOffsets, offsets);
  EXPECT_EQ(falls.operands[0].poke_position, 2);
  EXPECT_EQ(falls.operands[0].poke_value, 1);
  EXPECT_EQ(rules.applies("offsets_begin_later", kOffsets, offsets).operands[0].poke_value, 1);
  const Case early = rules.applies("offsets_end_early", kOffsets, offsets);
  EXPECT_EQ(early.operands[0].poke_position, 3);
  EXPECT_EQ(early.operands[0].poke_value, 5);
  EXPECT_EQ(rules.applies("no_offsets", kOffsets, offsets).operands[0].shape, (Dims{0}));
  for (const std::string_view rule : {"offset_below", "offset_above", "offsets_fall",
                                      "offsets_begin_later", "offsets_end_early", "no_offsets"}) {
    rules.does_not_apply(rule, kOffsets, no_elements);
    rules.does_not_apply(rule, kLengths, lengths);
  }

  EXPECT_EQ(rules.applies("index_dtype", kLengths, lengths).operands[0].dtype, Dtype::kFloat);
  EXPECT_EQ(rules.applies("index_dtype_narrow", kOffsets, offsets).operands[0].dtype,
            Dtype::kInt16);
  EXPECT_EQ(rules.applies("axis_above", kLengths, lengths).attributes[0], 2);
  EXPECT_EQ(rules.applies("axis_below", kLengths, lengths).attributes[0], -3);
  EXPECT_EQ(rules.applies("rank_above", kRows, rows).operands[0].shape, (Dims{3, 3, 1}));
  EXPECT_EQ(rules.applies("rows_above", kRows, rows).operands[0].shape, (Dims{4, 3}));
  EXPECT_EQ(rules.applies("rows_below", kRows, rows).operands[0].shape, (Dims{2, 3}));
  // Of what is left nothing is read beyond its end: at most all elements meet in one sum.
  const auto terms = [](const Case& broken) { return operator_of(broken).terms(broken, 1); };
  EXPECT_EQ(terms(rules.applies("no_offsets", kOffsets, offsets)), 6);
  EXPECT_EQ(terms(rules.applies("rows_above", kRows, rows)), 4);
  EXPECT_EQ(terms(rules.applies("rows_below", kRows, rows)), 4);
  rules.does_not_apply("rows_above", kLengths, lengths);
  rules.does_not_apply("rows_below", kLengths, lengths);

  EXPECT_EQ(rules.applies("reduce_unknown", kLengths, lengths).attributes[1], 5);
  rules.does_not_apply("reduce_unknown", kLengths, empty);

  constexpr std::string_view kOut = ".lengths out axis=0 reduce=sum";
  const std::string with_out = lengths + "out float32 (3, 2) fill=index\n";
  rules.applies("out_dtype", kOut, with_out);
  rules.applies("out_overlaps_itself", kOut, with_out);
  rules.does_not_apply("out_dtype", kLengths, lengths);
  rules.does_not_apply("out_overlaps_itself", kLengths, lengths);
  rules.all_tried({"index_dtype", "index_dtype_narrow", "axis_above", "axis_below", "rank_above"});
}

}  // namespace
}  // namespace indexfuzz
