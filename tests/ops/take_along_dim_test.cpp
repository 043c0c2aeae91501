// take_along_dim's oracle and rules, by hand. self holds 1, 2, 3, … in row-major order.

#include "ops/repair/repair.h"
#include "rule_cases.h"

namespace indexfuzz {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using List = std::vector<double>;

TEST(TakeAlongDim, ReplacesTheCoordinateOfDim) {
  // indices = [[0, 1], [0, 1], [0, 1]]
  EXPECT_EQ(oracle_of("take_along_dim functional\nself float32 (2, 2)\nindices int64 (3, 2) "
                      "fill=ascending\n"),
            (List{1, 4, 1, 4, 1, 4}));
  // indices = [[0, 1, 2, 0], [1, 2, 0, 1]]
  for (const std::string_view dim : {"dim=1", "dim=-1"}) {
    EXPECT_EQ(oracle_of("take_along_dim functional " + std::string(dim) +
                        "\nself float32 (2, 3)\nindices int64 (2, 4) fill=ascending\n"),
              (List{1, 2, 3, 1, 5, 6, 4, 5}));
  }
}

TEST(TakeAlongDim, ANegativeIndexCountsFromTheEndOfDim) {
  EXPECT_EQ(oracle_of("take_along_dim functional dim=1\nself float32 (2, 3)\nindices int64 (2, 2) "
                      "fill=descending negatives=all\n"),
            (List{3, 2, 4, 6}));
}

TEST(TakeAlongDim, BothBroadcastInTheOtherDimensions) {
  // Each index stands for its whole row.
  constexpr std::string_view kIndices =
      "take_along_dim functional\nself float32 (2, 3)\nindices int64 (3, 1) fill=descending\n";
  EXPECT_EQ(oracle_of(kIndices), (List{4, 5, 6, 1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(result_shape_of(kIndices), (Dims{3, 3}));
  // self's only column is read for all of the index's.
  constexpr std::string_view kSelf =
      "take_along_dim functional\nself float32 (2, 1)\nindices int64 (1, 3) fill=ascending\n";
  EXPECT_EQ(oracle_of(kSelf), (List{1, 2, 1}));
  EXPECT_EQ(result_shape_of(kSelf), (Dims{1, 3}));
  // indices = [[[0, 1]], [[0, 1]]]
  constexpr std::string_view kBoth =
      "take_along_dim functional dim=1\nself float32 (1, 2, 2)\nindices int64 (2, 1, 1) "
      "fill=ascending\n";
  EXPECT_EQ(oracle_of(kBoth), (List{1, 2, 3, 4}));
  EXPECT_EQ(result_shape_of(kBoth), (Dims{2, 1, 2}));
}

TEST(TakeAlongDim, WithoutDimBothAreFlattened) {
  constexpr std::string_view kCase =
      "take_along_dim functional dim=none\nself float32 (2, 3)\nindices int64 (2, 2) "
      "fill=descending\n";
  EXPECT_EQ(oracle_of(kCase), (List{6, 5, 4, 3}));
  EXPECT_EQ(result_shape_of(kCase), (Dims{4}));
  constexpr std::string_view kScalars =
      "take_along_dim functional dim=none\nself float32 ()\nindices int64 () fill=first\n";
  EXPECT_EQ(oracle_of(kScalars), (List{1}));
  EXPECT_EQ(result_shape_of(kScalars), (Dims{1}));
  EXPECT_THAT(error_of("take_along_dim functional dim=none\nself float32 (3)\nindices int64 (2) "
                       "fill=first negatives=all\n"),
              HasSubstr("negatives are not possible"));
}

TEST(TakeAlongDim, NothingIsTakenFromNothing) {
  constexpr std::string_view kRows =
      "take_along_dim functional\nself float32 (0, 3)\nindices int64 (0, 1) fill=first\n";
  EXPECT_THAT(oracle_of(kRows), IsEmpty());
  EXPECT_EQ(result_shape_of(kRows), (Dims{0, 3}));
  constexpr std::string_view kColumns =
      "take_along_dim functional\nself float32 (2, 0)\nindices int64 (3, 1) fill=first\n";
  EXPECT_THAT(oracle_of(kColumns), IsEmpty());
  EXPECT_EQ(result_shape_of(kColumns), (Dims{3, 0}));
  EXPECT_THAT(error_of("take_along_dim functional\nself float32 (0, 3)\nindices int64 (2, 3) "
                       "fill=first\n"),
              HasSubstr("indices: its shape must be (0, 3)"));
  EXPECT_THAT(error_of("take_along_dim functional dim=none\nself float32 (0)\nindices int64 (2) "
                       "fill=first\n"),
              HasSubstr("indices: its shape must be (0)"));
}

TEST(TakeAlongDim, RepairKeepsTheResultWithinTheLimits) {
  Limits limits;
  limits.max_elements = 64;
  Case c = written(
      "take_along_dim functional\nself float32 (2, 1, 16)\nindices int64 (8, 8, 1) fill=first\n");
  repair(c, limits);
  EXPECT_EQ(c.operands[0].shape, (Dims{2, 1, 16}));
  EXPECT_EQ(c.operands[1].shape, (Dims{4, 1, 1}));
  // What is left of the index is empty where self is.
  c = written(
      "take_along_dim functional\nself float32 (0, 1, 64)\nindices int64 (5, 0, 1) "
      "fill=first\n");
  repair(c, limits);
  EXPECT_EQ(c.operands[1].shape, (Dims{0, 1, 1}));
}

TEST(TakeAlongDim, MovesBytesUnchanged) {
  EXPECT_THAT(
      bits_of<std::uint32_t>(oracle_of(
          "take_along_dim functional\nself float32 (2)\nindices int64 (2) "
          "fill=first\n",
          {bytes_of<std::uint32_t>({0x7F800001u, 0x80000000u}), bytes_of<std::int64_t>({-1, 0})})),
      ElementsAre(0x80000000u, 0x7F800001u));
}

TEST(TakeAlongDim, RulesApplyWhereATenLooks) {
  RuleCases rules("take_along_dim");
  constexpr std::string_view kFlat = "functional dim=none";
  constexpr std::string_view kPlain = "self float32 (2, 3)\nindices int64 (2, 3) fill=first\n";
  constexpr std::string_view kEmpty = "self float32 (2, 3)\nindices int64 (0, 3) fill=first\n";
  constexpr std::string_view kNoColumn = "self float32 (2, 0)\nindices int64 (2, 1) fill=first\n";
  constexpr std::string_view kVector = "self float32 (3)\nindices int64 (3) fill=first\n";
  constexpr std::string_view kOut =
      "self float32 (2, 3)\nindices int64 (2, 3) fill=first\nout float32 (2, 3)\n";
  constexpr std::string_view kFlatOut =
      "self float32 (2, 3)\nindices int64 (2) fill=first\nout float32 (2)\n";
  constexpr std::string_view kWiderOut =
      "self float32 (8, 1)\nindices int64 (2, 3) fill=first\nout float32 (2, 3)\n";
  EXPECT_EQ(rules.applies("index_below", "functional", kPlain).operands[1].poke_value, -3);
  EXPECT_EQ(rules.applies("index_below", kFlat, kPlain).operands[1].poke_value, -7);
  rules.does_not_apply("index_below", "functional", kEmpty);
  EXPECT_EQ(rules.applies("index_above", "functional dim=1", kPlain).operands[1].poke_value, 3);
  EXPECT_EQ(rules.applies("index_above", kFlat, kPlain).operands[1].poke_value, 6);
  rules.does_not_apply("index_above", "functional", kNoColumn);
  EXPECT_EQ(rules.applies("index_dtype", "functional", kEmpty).operands[1].dtype, Dtype::kFloat);
  EXPECT_EQ(rules.applies("index_dtype_narrow", "functional", kEmpty).operands[1].dtype,
            Dtype::kInt16);
  EXPECT_EQ(rules.applies("index_dtype", kFlat, kPlain).operands[1].dtype, Dtype::kFloat);
  EXPECT_EQ(rules.applies("index_dtype_narrow", kFlat, kPlain).operands[1].dtype, Dtype::kInt16);
  rules.does_not_apply("index_dtype", kFlat, kEmpty);
  rules.does_not_apply("index_dtype_narrow", kFlat, kEmpty);
  EXPECT_EQ(rules.applies("indices_rank", "functional", kEmpty).operands[1].shape, (Dims{0, 3, 1}));
  rules.does_not_apply("indices_rank", kFlat, kPlain);
  EXPECT_EQ(rules.applies("indices_shape", "functional", kPlain).operands[1].shape, (Dims{2, 4}));
  EXPECT_EQ(rules.applies("indices_shape", "functional dim=-1", kPlain).operands[1].shape,
            (Dims{3, 3}));
  EXPECT_EQ(rules.applies("indices_shape", "functional", kNoColumn).operands[1].shape,
            (Dims{2, 2}));
  rules.does_not_apply("indices_shape", "functional", kVector);
  rules.does_not_apply("indices_shape", kFlat, kPlain);
  EXPECT_EQ(rules.applies("dim_above", "functional", kEmpty).attributes[0], 2);
  rules.does_not_apply("dim_above", kFlat, kPlain);
  EXPECT_EQ(rules.applies("out_dtype", "out", kOut).operands[2].dtype, Dtype::kDouble);
  rules.does_not_apply("out_dtype", "functional", kPlain);
  EXPECT_TRUE(has_expanded(rules.applies("out_overlaps_itself", "out", kOut).operands[2].layout));
  rules.does_not_apply("out_overlaps_itself", "functional", kPlain);
  EXPECT_EQ(rules.applies("out_is_self", "out", kOut).operands[2].shares_memory_with, 0);
  EXPECT_EQ(rules.applies("out_is_self", "out dim=none", kFlatOut).operands[2].shares_memory_with,
            0);
  rules.does_not_apply("out_is_self", "out", kWiderOut);
  rules.does_not_apply("out_is_self", "functional", kPlain);
  EXPECT_EQ(rules.applies("self_empty", "functional dim=1", kPlain).operands[0].shape,
            (Dims{2, 0}));
  rules.does_not_apply("self_empty", "functional dim=0", kEmpty);
  rules.does_not_apply("self_empty", kFlat, kPlain);
  EXPECT_EQ(rules.applies("dim_below", "functional", kPlain).attributes[0], -3);
  rules.does_not_apply("dim_below", kFlat, kPlain);
  EXPECT_EQ(rules.applies("indices_rank_lower", "functional", kPlain).operands[1].shape, Dims{2});
  EXPECT_EQ(rules.applies("indices_rank_lower", "functional", kVector).operands[1].shape, Dims{});
  rules.does_not_apply("indices_rank_lower", "functional", kEmpty);
  rules.does_not_apply("indices_rank_lower", kFlat, kPlain);
  rules.all_tried({});
}

}  // namespace
}  // namespace indexfuzz
