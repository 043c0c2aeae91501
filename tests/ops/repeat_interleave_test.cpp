// repeat_interleave's oracle and rules, by hand. self holds 1, 2, 3, … in row-major order.

#include <fmt/format.h>

#include "ops/repair/repair.h"
#include "rule_cases.h"

namespace indexfuzz {
namespace {

using ::testing::IsEmpty;
using List = std::vector<double>;

TEST(RepeatInterleave, NamesEachPositionAsOftenAsItsCountSays) {
  constexpr std::string_view kCase =
      "repeat_interleave.Tensor functional output_size=none\nrepeats int64 (4) fill=ascending\n";
  EXPECT_EQ(oracle_of(kCase), (List{1, 2, 2, 3, 3, 3}));
  EXPECT_EQ(result_shape_of(kCase), (Dims{6}));
  EXPECT_EQ(operator_of(written(kCase)).result(written(kCase)).dtype, Dtype::kInt64);
  constexpr std::string_view kNarrow =
      "repeat_interleave.Tensor functional output_size=3\nrepeats int32 (3) fill=ascending\n";
  EXPECT_EQ(oracle_of(kNarrow), (List{1, 2, 2}));
  EXPECT_EQ(operator_of(written(kNarrow)).result(written(kNarrow)).dtype, Dtype::kInt32);
}

TEST(RepeatInterleave, RepeatsSlices) {
  constexpr std::string_view kRows =
      "repeat_interleave.self_Tensor functional dim=0 output_size=none\n"
      "self float32 (3, 2)\nrepeats int64 (3) fill=ascending\n";
  EXPECT_EQ(oracle_of(kRows), (List{3, 4, 5, 6, 5, 6}));
  EXPECT_EQ(result_shape_of(kRows), (Dims{3, 2}));
  constexpr std::string_view kColumns =
      "repeat_interleave.self_Tensor functional dim=-1 output_size=3\n"
      "self float32 (2, 3)\nrepeats int64 (3) fill=ascending\n";
  EXPECT_EQ(oracle_of(kColumns), (List{2, 3, 3, 5, 6, 6}));
  EXPECT_EQ(result_shape_of(kColumns), (Dims{2, 3}));
}

TEST(RepeatInterleave, WithoutDimTakesTheElementsInOneRow) {
  constexpr std::string_view kCase =
      "repeat_interleave.self_Tensor functional dim=none output_size=none\n"
      "self int16 (2, 2) order=(1, 0)\nrepeats int32 (4) fill=ascending\n";
  EXPECT_EQ(oracle_of(kCase), (List{2, 3, 3, 4, 4, 4}));
  EXPECT_EQ(result_shape_of(kCase), (Dims{6}));
  constexpr std::string_view kScalar =
      "repeat_interleave.self_int functional dim=none output_size=none repeats=3\nself int16 ()\n";
  EXPECT_EQ(oracle_of(kScalar), (List{1, 1, 1}));
  EXPECT_EQ(result_shape_of(kScalar), (Dims{3}));
}

TEST(RepeatInterleave, OneCountIsForAllSlices) {
  for (const std::string_view shape : {"()", "(1)"}) {
    EXPECT_EQ(oracle_of("repeat_interleave.self_Tensor functional dim=0 output_size=none\n"
                        "self int8 (2)\nrepeats int64 " +
                            std::string(shape) + " fill=last\n",
                        {bytes_of<std::int8_t>({4, 5}), bytes_of<std::int64_t>({2})})
                  .size(),
              128u);
  }
  EXPECT_EQ(oracle_of("repeat_interleave.self_int functional dim=1 output_size=4 repeats=2\n"
                      "self int64 (2, 2)\n"),
            (List{1, 1, 2, 2, 3, 3, 4, 4}));
}

TEST(RepeatInterleave, NothingTakenIsEmpty) {
  constexpr std::string_view kNone =
      "repeat_interleave.self_Tensor functional dim=1 output_size=0\n"
      "self float32 (2, 3)\nrepeats int64 (3) fill=first\n";
  EXPECT_THAT(oracle_of(kNone), IsEmpty());
  EXPECT_EQ(result_shape_of(kNone), (Dims{2, 0}));
  EXPECT_EQ(result_shape_of("repeat_interleave.self_int functional dim=0 output_size=none "
                            "repeats=2\nself float32 (0, 3)\n"),
            (Dims{0, 3}));
}

TEST(RepeatInterleave, OutputSizeIsTheSumOfTheCounts) {
  EXPECT_THAT(error_of("repeat_interleave.Tensor functional output_size=5\n"
                       "repeats int64 (4) fill=ascending\n"),
              ::testing::HasSubstr("output_size must be 6"));
}

TEST(RepeatInterleave, AResultKeepsWithinTheLimits) {
  Limits limits;
  limits.max_elements = 32;
  Case c = written(
      "repeat_interleave.Tensor functional output_size=none\nrepeats int64 (30) fill=last\n");
  repair(c, limits);
  EXPECT_LE(numel(operator_of(c).result(c).shape), 32);
  c = written(
      "repeat_interleave.self_int functional dim=0 output_size=none repeats=100\n"
      "self int8 (3, 5)\n");
  repair(c, limits);
  EXPECT_EQ(operator_of(c).result(c).shape, (Dims{6, 5}));
}

TEST(RepeatInterleave, CountsStayWhenSelfShrinks) {
  const auto counts = [](int rows, int columns) {
    const Case c = written(fmt::format(
        "repeat_interleave.self_Tensor functional dim=0 output_size=none\nself int8 ({}, "
        "{})\nrepeats int64 ({}) fill=counts1 seed=10\n",
        rows, columns, rows));
    return bits_of<std::int64_t>(expectation(c).operands[1]);
  };
  const std::vector<std::int64_t> all = counts(8, 32);
  EXPECT_THAT(all, ::testing::Contains(::testing::Gt(127)).Times(1)) << "of its place 3";
  for (int rows = 1; rows < 8; ++rows)
    EXPECT_EQ(counts(rows, 1), (std::vector(all.begin(), all.begin() + rows)));
}

TEST(RepeatInterleave, CountsAreLargeOnlyWhereSelfIsSmall) {
  const auto repaired = [](int rows, FillKind kind, Negatives drawn) {
    Case c = written(fmt::format(
        "repeat_interleave.Tensor functional output_size=none\nrepeats int64 ({}) fill=first\n",
        rows));
    c.operands[0].fill = {.kind = kind, .negatives = drawn, .seed = 10};
    repair(c, Limits{});
    EXPECT_EQ(c.operands[0].fill.negatives, Negatives::kNone);
    return c.operands[0].fill.kind;
  };
  EXPECT_EQ(repaired(256, FillKind::kRandom1, Negatives::kNone), FillKind::kRandom1);
  EXPECT_EQ(repaired(256, FillKind::kRandom1, Negatives::kSome), FillKind::kCounts1);
  EXPECT_EQ(repaired(256, FillKind::kCounts1, Negatives::kNone), FillKind::kCounts1);
  EXPECT_EQ(repaired(257, FillKind::kCounts1, Negatives::kNone), FillKind::kRandom1);
}

TEST(RepeatInterleave, RulesApplyWhereATenLooks) {
  RuleCases rules("repeat_interleave");
  constexpr std::string_view kPositions = ".Tensor functional output_size=none";
  constexpr std::string_view kSized = ".Tensor functional output_size=3";
  constexpr std::string_view kOfNothing = ".Tensor functional output_size=0";
  constexpr std::string_view kTensor = ".self_Tensor functional dim=0 output_size=none";
  constexpr std::string_view kFlat = ".self_Tensor functional dim=none output_size=none";
  constexpr std::string_view kNumber = ".self_int functional dim=0 output_size=none repeats=2";
  constexpr std::string_view kOutForm = ".Tensor out output_size=none";
  constexpr std::string_view kCounts = "repeats int64 (3) fill=ascending\n";
  constexpr std::string_view kNoCounts = "repeats int64 (0) fill=first\n";
  constexpr std::string_view kOut = "repeats int64 (3) fill=ascending\nout int64 (3)\n";
  constexpr std::string_view kSelf = "self int8 (3)\n";
  constexpr std::string_view kBoth = "self int8 (3)\nrepeats int64 (3) fill=ascending\n";

  EXPECT_EQ(rules.applies("repeats_negative", kPositions, kCounts).operands[0].poke_value, -1);
  EXPECT_EQ(rules.applies("repeats_negative", kSized, kCounts).attributes[0], 0)
      << "0, 1 and -1 add up to it";
  rules.does_not_apply("repeats_negative", kPositions, kNoCounts);
  rules.does_not_apply("repeats_negative", kTensor,
                       "self int8 (0)\nrepeats int64 (1) fill=first\n");
  rules.does_not_apply("repeats_negative", kNumber, kSelf);
  const Case overflowing = rules.applies("repeats_sum_overflows", kPositions, kCounts);
  EXPECT_TRUE(has_expanded(overflowing.operands[0].layout));
  EXPECT_EQ(overflowing.operands[0].poke_value, 6148914691236517206) << "3 of it are 2^64 + 2";
  EXPECT_EQ(
      rules
          .applies("repeats_sum_overflows", kTensor, "self int8 (4)\nrepeats int64 () fill=first\n")
          .operands[1]
          .poke_value,
      std::int64_t{1} << 62);
  rules.does_not_apply("repeats_sum_overflows", kPositions, "repeats int32 (3) fill=first\n");
  rules.does_not_apply("repeats_sum_overflows", kPositions, "repeats int64 (2) fill=first\n");
  rules.does_not_apply("repeats_sum_overflows", kNumber, kSelf);
  EXPECT_EQ(rules.applies("number_negative", kNumber, kSelf).attributes[2], -1);
  rules.does_not_apply("number_negative", kTensor, kBoth);
  EXPECT_EQ(rules.applies("repeats_dtype", kTensor, kBoth).operands[1].dtype, Dtype::kFloat);
  rules.does_not_apply("repeats_dtype", kNumber, kSelf);
  EXPECT_EQ(rules.applies("repeats_rank", kPositions, kCounts).operands[0].shape, (Dims{3, 1}));
  rules.does_not_apply("repeats_rank", kNumber, kSelf);
  EXPECT_EQ(rules.applies("repeats_count", kTensor, kBoth).operands[1].shape, (Dims{4}));
  rules.does_not_apply("repeats_count", kPositions, kCounts);
  EXPECT_EQ(rules.applies("dim_above", kTensor, kBoth).attributes[0], 1);
  rules.does_not_apply("dim_above", kFlat, kBoth);
  EXPECT_EQ(rules.applies("dim_below", kNumber, kSelf).attributes[0], -2);
  rules.does_not_apply("dim_below", kFlat, kBoth);
  EXPECT_EQ(rules.applies("output_size_above", kSized, kCounts).attributes[0], 4);
  rules.does_not_apply("output_size_above", kPositions, kCounts);
  rules.does_not_apply("output_size_above", kOfNothing, kNoCounts);
  EXPECT_EQ(rules.applies("output_size_below", kSized, kCounts).attributes[0], 2);
  rules.does_not_apply("output_size_below", kOfNothing, kNoCounts);
  EXPECT_EQ(rules.applies("out_dtype", kOutForm, kOut).operands[1].dtype, Dtype::kDouble);
  rules.does_not_apply("out_dtype", kPositions, kCounts);
  EXPECT_TRUE(
      has_expanded(rules.applies("out_overlaps_itself", kOutForm, kOut).operands[1].layout));
  rules.does_not_apply("out_overlaps_itself", kPositions, kCounts);
  rules.all_tried({});
}

}  // namespace
}  // namespace indexfuzz
