// select_scatter's oracle and rules, by hand. self holds 1, 2, 3, … in row-major order.

#include "rule_cases.h"

namespace indexfuzz {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using List = std::vector<double>;

TEST(SelectScatter, ReplacesOneSlice) {
  EXPECT_EQ(oracle_of("select_scatter functional dim=0 index=1\n"
                      "self float32 (2, 3)\nsrc float32 (3)\n"),
            (List{1, 2, 3, -1, -2, -3}));
  EXPECT_EQ(oracle_of("select_scatter functional dim=-1 index=-3\n"
                      "self float32 (2, 3)\nsrc float32 (2)\n"),
            (List{-1, 2, 3, -2, 5, 6}));
}

TEST(SelectScatter, TheSliceOfAVectorIsANumber) {
  EXPECT_EQ(oracle_of("select_scatter functional dim=0 index=-1\nself int64 (3)\nsrc int64 ()\n"),
            (List{1, 2, -1}));
}

TEST(SelectScatter, ASliceMayHaveNoElements) {
  EXPECT_THAT(oracle_of("select_scatter functional dim=0 index=1\nself int64 (2, 0)\n"
                        "src int64 (0)\n"),
              IsEmpty());
  EXPECT_THAT(error_of("select_scatter functional dim=1 index=0\nself int64 (2, 0)\n"
                       "src int64 (2)\n"),
              HasSubstr("(2, 1)"));
}

TEST(SelectScatter, MovesBytesUnchanged) {
  EXPECT_THAT(bits_of<std::uint16_t>(oracle_of(
                  "select_scatter functional dim=0 index=0\nself float16 (2)\nsrc float16 ()\n",
                  {bytes_of<std::uint16_t>({0, 0x8000}), bytes_of<std::uint16_t>({0x7C01})})),
              ElementsAre(0x7C01, 0x8000));
}

TEST(SelectScatter, RulesApplyWhereATenLooks) {
  RuleCases rules("select_scatter");
  constexpr std::string_view kCall = "functional dim=1 index=-2",
                             kFirst = "functional dim=0 index=0", kOutForm = "out dim=1 index=0";
  constexpr std::string_view kMatrix = "self float32 (2, 3)\nsrc float32 (2)\n",
                             kVector = "self float32 (3)\nsrc float32 ()\n",
                             kFull = "self float32 (1, 10)\nsrc float32 (10)\n";
  constexpr std::string_view kOut = "self float32 (2, 3)\nsrc float32 (2)\nout float32 (2, 3)\n";
  constexpr std::string_view kResized = "self float32 (2, 3)\nsrc float32 (2)\nout float32 (0)\n";
  EXPECT_EQ(rules.applies("index_below", kCall, kMatrix).attributes[1], -4);
  EXPECT_EQ(rules.applies("index_above", kCall, kMatrix).attributes[1], 3);
  EXPECT_EQ(rules.applies("dim_above", kCall, kMatrix).attributes[0], 2);
  EXPECT_EQ(rules.applies("dim_below", kCall, kMatrix).attributes[0], -3);
  EXPECT_THAT(rules.applies("self_rank", kFirst, kVector).operands[0].shape, IsEmpty());
  rules.does_not_apply("self_rank", kCall, kMatrix);
  EXPECT_THAT(rules.applies("src_shape", kCall, kMatrix).operands[1].shape, ElementsAre(3));
  rules.does_not_apply("src_shape", kFirst, kVector);
  EXPECT_THAT(rules.applies("src_rank", kCall, kMatrix).operands[1].shape, ElementsAre(2, 1));
  EXPECT_THAT(rules.applies("src_rank_lower", kCall, kMatrix).operands[1].shape, IsEmpty());
  rules.does_not_apply("src_rank_lower", kFirst, kVector);
  EXPECT_THAT(rules.applies("src_broadcasts", kFirst, kFull).operands[1].shape, ElementsAre(1));
  rules.does_not_apply("src_broadcasts", kFirst, kVector);
  EXPECT_EQ(rules.applies("out_dtype", kOutForm, kOut).operands[2].dtype, Dtype::kDouble);
  rules.does_not_apply("out_dtype", kCall, kMatrix);
  EXPECT_TRUE(
      has_expanded(rules.applies("out_overlaps_itself", kOutForm, kOut).operands[2].layout));
  rules.does_not_apply("out_overlaps_itself", kOutForm, kResized);
  rules.all_tried({"index_below", "index_above", "dim_above", "dim_below", "src_rank"});
}

}  // namespace
}  // namespace indexfuzz
