// gather's oracle and rules, by hand. self holds 1, 2, 3, … in row-major order.

#include "rule_cases.h"

namespace indexfuzz {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using List = std::vector<double>;

TEST(Gather, ReplacesTheCoordinateOfDim) {
  // index = [[0, 1], [0, 1], [0, 1]]
  EXPECT_EQ(
      oracle_of("gather functional\nself float32 (2, 2)\nindex int64 (3, 2) fill=ascending\n"),
      (List{1, 4, 1, 4, 1, 4}));
  // index = [[0, 1, 2, 0], [1, 2, 0, 1]]
  EXPECT_EQ(
      oracle_of(
          "gather functional dim=1\nself float32 (2, 3)\nindex int64 (2, 4) fill=ascending\n"),
      (List{1, 2, 3, 1, 5, 6, 4, 5}));
  EXPECT_EQ(
      oracle_of(
          "gather functional dim=-1\nself float32 (2, 3)\nindex int32 (2, 4) fill=ascending\n"),
      (List{1, 2, 3, 1, 5, 6, 4, 5}));
}

TEST(Gather, AnIndexMayBeSmallerThanSelfElsewhere) {
  EXPECT_EQ(
      oracle_of("gather functional dim=1\nself float32 (3, 2)\nindex int64 (2, 1) fill=last\n"),
      (List{2, 4}));
  EXPECT_EQ(
      oracle_of("gather functional dim=1\nself int64 (2, 2, 3)\nindex int64 (1, 1, 2) fill=last\n"),
      (List{4, 5}));
  EXPECT_EQ(result_shape_of(
                "gather functional dim=1\nself int64 (2, 2, 3)\nindex int64 (1, 1, 2) fill=last\n"),
            (Dims{1, 1, 2}));
}

TEST(Gather, ScalarsCountAsOneElement) {
  EXPECT_EQ(oracle_of("gather functional\nself float32 ()\nindex int64 () fill=first\n"),
            (List{1}));
  EXPECT_EQ(oracle_of("gather functional\nself float32 ()\nindex int64 (3) fill=first\n"),
            (List{1, 1, 1}));
  EXPECT_EQ(oracle_of("gather functional\nself float32 (3)\nindex int64 () fill=last\n"),
            (List{3}));
  EXPECT_EQ(result_shape_of("gather functional\nself float32 (3)\nindex int64 () fill=last\n"),
            Dims{});
}

TEST(Gather, AnEmptyIndexGivesItsOwnShape) {
  EXPECT_EQ(
      result_shape_of("gather functional\nself float32 (2, 3)\nindex int64 (0, 3) fill=first\n"),
      (Dims{0, 3}));
  EXPECT_THAT(oracle_of("gather functional\nself float32 (0, 3)\nindex int64 (0, 2) fill=first\n"),
              IsEmpty());
}

TEST(Gather, MovesBytesUnchanged) {
  EXPECT_THAT(bits_of<std::uint32_t>(
                  oracle_of("gather functional\nself complex32 (2)\nindex int32 (3) fill=first\n",
                            {bytes_of<std::uint32_t>({0x7C01FC01u, 0x80000000u}),
                             bytes_of<std::int32_t>({1, 1, 0})})),
              ElementsAre(0x80000000u, 0x80000000u, 0x7C01FC01u));
}

TEST(Gather, RulesApplyWhereATenLooks) {
  RuleCases rules("gather");
  constexpr std::string_view kPlain = "self float32 (2, 3)\nindex int64 (2, 2) fill=first\n";
  constexpr std::string_view kEmpty = "self float32 (2, 3)\nindex int64 (0, 2) fill=first\n";
  constexpr std::string_view kOut =
      "self float32 (2, 3)\nindex int64 (2, 2) fill=first\nout float32 (2, 2)\n";
  EXPECT_EQ(rules.applies("index_below", "functional", kPlain).operands[1].poke_position, 3);
  rules.does_not_apply("index_below", "functional", kEmpty);
  EXPECT_EQ(rules.applies("index_above", "functional dim=-1", kPlain).operands[1].poke_value, 3);
  rules.does_not_apply("index_above", "functional", kEmpty);
  EXPECT_EQ(rules.applies("index_rank", "functional", kPlain).operands[1].shape, (Dims{2, 2, 1}));
  rules.does_not_apply("index_rank", "functional", kEmpty);
  EXPECT_EQ(rules.applies("index_dtype", "functional", kPlain).operands[1].dtype, Dtype::kFloat);
  EXPECT_EQ(rules.applies("index_dtype_narrow", "functional", kPlain).operands[1].dtype,
            Dtype::kInt16);
  rules.does_not_apply("index_dtype", "functional", kEmpty);
  rules.does_not_apply("index_dtype_narrow", "functional", kEmpty);
  EXPECT_EQ(rules.applies("dim_above", "functional", kEmpty).attributes[0], 2);
  EXPECT_EQ(rules.applies("index_beyond_self", "functional", kPlain).operands[1].shape,
            (Dims{2, 4}));
  EXPECT_EQ(rules.applies("index_beyond_self", "functional dim=1", kPlain).operands[1].shape,
            (Dims{3, 2}));
  rules.does_not_apply("index_beyond_self", "functional", kEmpty);
  rules.does_not_apply("index_beyond_self", "functional",
                       "self float32 (2)\nindex int64 (2) fill=first\n");
  EXPECT_EQ(rules.applies("out_dtype", "out", kOut).operands[2].dtype, Dtype::kDouble);
  rules.does_not_apply("out_dtype", "functional", kPlain);
  EXPECT_TRUE(has_expanded(rules.applies("out_overlaps_itself", "out", kOut).operands[2].layout));
  rules.does_not_apply("out_overlaps_itself", "functional", kPlain);
  EXPECT_EQ(rules.applies("out_is_self", "out", kOut).operands[2].shares_memory_with, 0);
  rules.does_not_apply("out_is_self", "functional", kPlain);
  // Of a self with gaps out is a part, self[:1, :2].
  const Case part = rules.applies("out_is_self", "out",
                                  "self float32 (2, 3) step=(1,2)\nindex int64 (1, 2) fill=first\n"
                                  "out float32 (1, 2)\n");
  EXPECT_EQ(part.operands[2].shares_memory_with, 0);
  EXPECT_EQ(strided(part.operands[2].shape, part.operands[2].layout).strides,
            strided(part.operands[0].shape, part.operands[0].layout).strides);
  EXPECT_EQ(rules.applies("self_empty", "functional", kPlain).operands[0].shape, (Dims{0, 3}));
  rules.does_not_apply("self_empty", "functional", kEmpty);
  EXPECT_EQ(rules.applies("dim_below", "functional", kPlain).attributes[0], -3);
  EXPECT_EQ(rules.applies("index_rank_lower", "functional", kPlain).operands[1].shape, Dims{2});
  rules.does_not_apply("index_rank_lower", "functional", kEmpty);
  rules.does_not_apply("index_rank_lower", "functional",
                       "self float32 (3)\nindex int64 (2) fill=first\n");
  rules.all_tried({"dim_above", "dim_below"});
}

}  // namespace
}  // namespace indexfuzz
