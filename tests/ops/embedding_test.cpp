// embedding's oracle and rules, by hand. weight holds 1, 2, 3, … in row-major order.

#include "rule_cases.h"

namespace indexfuzz {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using List = std::vector<double>;

TEST(Embedding, GivesTheNamedRows) {
  constexpr std::string_view kCase =
      "embedding functional padding_idx=-1\nweight float32 (3, 2)\nindices int64 (3) "
      "fill=descending\n";
  EXPECT_EQ(oracle_of(kCase), (List{5, 6, 3, 4, 1, 2}));
  EXPECT_EQ(result_shape_of(kCase), (Dims{3, 2}));
  // Whatever lies in memory.
  EXPECT_EQ(oracle_of("embedding functional\nweight float32 (3, 2) order=(1, 0) step=(2, 1)\n"
                      "indices int32 (3) step=(2) fill=ascending\n"),
            (List{1, 2, 3, 4, 5, 6}));
}

TEST(Embedding, AddsADimensionToThoseOfTheIndices) {
  constexpr std::string_view kMatrix =
      "embedding functional\nweight float32 (2, 3)\nindices int64 (1, 2) fill=descending\n";
  EXPECT_EQ(oracle_of(kMatrix), (List{4, 5, 6, 1, 2, 3}));
  EXPECT_EQ(result_shape_of(kMatrix), (Dims{1, 2, 3}));
  constexpr std::string_view kScalar =
      "embedding functional\nweight float32 (2, 3)\nindices int64 () fill=last\n";
  EXPECT_EQ(oracle_of(kScalar), (List{4, 5, 6}));
  EXPECT_EQ(result_shape_of(kScalar), (Dims{3}));
}

TEST(Embedding, TheFlagsDoNotMatterForward) {
  EXPECT_EQ(oracle_of("embedding functional padding_idx=1 scale_grad_by_freq=true sparse=true\n"
                      "weight float32 (2, 2)\nindices int64 (3) fill=last\n"),
            (List{3, 4, 3, 4, 3, 4}));
  EXPECT_EQ(oracle_of("embedding functional padding_idx=-2\n"
                      "weight float32 (2, 2)\nindices int64 (2) fill=ascending\n"),
            (List{1, 2, 3, 4}));
}

TEST(Embedding, FromNoRowsNothingMayBeTaken) {
  constexpr std::string_view kCase =
      "embedding functional padding_idx=-1\nweight float32 (0, 2)\nindices int64 (0, 3) "
      "fill=first\n";
  EXPECT_THAT(oracle_of(kCase), IsEmpty());
  EXPECT_EQ(result_shape_of(kCase), (Dims{0, 3, 2}));
  EXPECT_THAT(error_of("embedding functional padding_idx=-1\nweight float32 (0, 2)\n"
                       "indices int64 (3) fill=first\n"),
              ::testing::HasSubstr("indices: its shape must be (0)"));
}

TEST(Embedding, WeightIsATable) {
  EXPECT_THAT(error_of("embedding functional\nweight float32 (2)\nindices int64 (1) fill=first\n"),
              ::testing::HasSubstr("weight: its shape must be (2, 1)"));
}

TEST(Embedding, MovesBytesUnchanged) {
  EXPECT_THAT(bits_of<std::uint16_t>(oracle_of(
                  "embedding functional\nweight float16 (2, 1)\nindices int64 (2) fill=first\n",
                  {bytes_of<std::uint16_t>({0x7C01, 0x8000}), bytes_of<std::int64_t>({1, 0})})),
              ElementsAre(0x8000, 0x7C01));
}

TEST(Embedding, RulesApplyWhereATenLooks) {
  RuleCases rules("embedding");
  constexpr std::string_view kPlain = "weight float32 (3, 2)\nindices int64 (4) fill=first\n";
  constexpr std::string_view kNoColumns = "weight float32 (3, 0)\nindices int64 (4) fill=first\n";
  constexpr std::string_view kOut =
      "weight float32 (3, 2)\nindices int64 (4) fill=first\nout float32 (4, 2)\n";
  constexpr std::string_view kEmptyOut =
      "weight float32 (3, 2)\nindices int64 (0) fill=first\nout float32 (0, 2)\n";
  EXPECT_EQ(rules.applies("index_below", "functional", kPlain).operands[1].poke_value, -1);
  rules.does_not_apply("index_below", "functional", kNoColumns);
  EXPECT_EQ(rules.applies("index_above", "functional", kPlain).operands[1].poke_value, 3);
  rules.does_not_apply("index_above", "functional", kNoColumns);
  EXPECT_EQ(rules.applies("index_dtype", "functional", kPlain).operands[1].dtype, Dtype::kFloat);
  EXPECT_EQ(rules.applies("index_dtype_narrow", "functional", kPlain).operands[1].dtype,
            Dtype::kInt16);
  EXPECT_EQ(rules.applies("weight_rank", "functional", kPlain).operands[0].shape, (Dims{3, 2, 1}));
  EXPECT_EQ(rules.applies("out_dtype", "out", kEmptyOut).operands[2].dtype, Dtype::kDouble);
  rules.does_not_apply("out_dtype", "functional", kPlain);
  EXPECT_TRUE(has_expanded(rules.applies("out_overlaps_itself", "out", kOut).operands[2].layout));
  rules.does_not_apply("out_overlaps_itself", "functional", kPlain);
  rules.does_not_apply("out_overlaps_itself", "out", kEmptyOut);
  EXPECT_EQ(rules.applies("weight_empty", "functional", kPlain).operands[0].shape, (Dims{0, 2}));
  rules.does_not_apply("weight_empty", "functional", kNoColumns);
  EXPECT_EQ(rules.applies("weight_rank_lower", "functional", kPlain).operands[0].shape, Dims{3});
  rules.all_tried({"index_dtype", "index_dtype_narrow", "weight_rank", "weight_rank_lower"});
}

}  // namespace
}  // namespace indexfuzz
