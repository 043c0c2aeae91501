// take's oracle and rules, by hand. self holds 1, 2, 3, … in row-major order.

#include "rule_cases.h"

namespace indexfuzz {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using List = std::vector<double>;

TEST(Take, CountsElementsInRowMajorOrder) {
  constexpr std::string_view kCase =
      "take functional\nself float32 (2, 3)\nindex int64 (2, 2) fill=descending\n";
  EXPECT_EQ(oracle_of(kCase), (List{6, 5, 4, 3}));
  EXPECT_EQ(result_shape_of(kCase), (Dims{2, 2}));
  // Whatever lies in memory.
  EXPECT_EQ(oracle_of("take functional\nself float32 (2, 3) order=(1, 0)\nindex int64 (3) "
                      "fill=ascending\n"),
            (List{1, 2, 3}));
}

TEST(Take, ANegativeIndexCountsFromTheEndOfAll) {
  EXPECT_EQ(oracle_of("take functional\nself float32 (2, 3)\nindex int64 (2) fill=descending "
                      "negatives=all\n"),
            (List{6, 5}));
  EXPECT_EQ(bits_of<std::int64_t>(
                expectation(written("take functional\nself float32 (2, 3)\nindex int64 (2) "
                                    "fill=descending negatives=all\n"))
                    .operands[1]),
            (std::vector<std::int64_t>{-1, -2}));
}

TEST(Take, ScalarsCountAsOneElement) {
  constexpr std::string_view kScalarIndex =
      "take functional\nself float32 (2, 3)\nindex int64 () fill=last\n";
  EXPECT_EQ(oracle_of(kScalarIndex), (List{6}));
  EXPECT_EQ(result_shape_of(kScalarIndex), Dims{});
  EXPECT_EQ(oracle_of("take functional\nself float32 ()\nindex int64 (2) fill=last\n"),
            (List{1, 1}));
}

TEST(Take, AnEmptyIndexGivesItsOwnShape) {
  constexpr std::string_view kCase =
      "take functional\nself float32 (0)\nindex int64 (0, 3) fill=first\n";
  EXPECT_THAT(oracle_of(kCase), IsEmpty());
  EXPECT_EQ(result_shape_of(kCase), (Dims{0, 3}));
  EXPECT_THAT(error_of("take functional\nself float32 (0)\nindex int64 (2) fill=first\n"),
              ::testing::HasSubstr("index: its shape must be (0)"));
}

TEST(Take, IndicesAreInt64) {
  EXPECT_THAT(error_of("take functional\nself float32 (2)\nindex int32 (2) fill=first\n"),
              ::testing::HasSubstr("index: its dtype must be int64"));
}

TEST(Take, MovesBytesUnchanged) {
  EXPECT_THAT(bits_of<std::uint16_t>(oracle_of(
                  "take functional\nself float16 (2)\nindex int64 (2) fill=first\n",
                  {bytes_of<std::uint16_t>({0x7C01, 0x8000}), bytes_of<std::int64_t>({-1, -2})})),
              ElementsAre(0x8000, 0x7C01));
}

TEST(Take, RulesApplyWhereATenLooks) {
  RuleCases rules("take");
  constexpr std::string_view kPlain = "self float32 (2, 3)\nindex int64 (4) fill=first\n";
  constexpr std::string_view kEmpty = "self float32 (2, 3)\nindex int64 (0) fill=first\n";
  constexpr std::string_view kOut =
      "self float32 (2, 3)\nindex int64 (4) fill=first\nout float32 (4)\n";
  constexpr std::string_view kEmptyOut =
      "self float32 (2, 3)\nindex int64 (0) fill=first\nout float32 (0)\n";
  EXPECT_EQ(rules.applies("index_below", "functional", kPlain).operands[1].poke_value, -7);
  rules.does_not_apply("index_below", "functional", kEmpty);
  EXPECT_EQ(rules.applies("index_above", "functional", kPlain).operands[1].poke_value, 6);
  rules.does_not_apply("index_above", "functional", kEmpty);
  EXPECT_EQ(rules.applies("index_dtype", "functional", kEmpty).operands[1].dtype, Dtype::kFloat);
  EXPECT_EQ(rules.applies("index_dtype_narrow", "functional", kEmpty).operands[1].dtype,
            Dtype::kInt16);
  EXPECT_EQ(rules.applies("self_empty", "functional", kPlain).operands[0].shape, (Dims{0}));
  rules.does_not_apply("self_empty", "functional", kEmpty);
  EXPECT_EQ(rules.applies("out_dtype", "out", kEmptyOut).operands[2].dtype, Dtype::kDouble);
  rules.does_not_apply("out_dtype", "functional", kPlain);
  EXPECT_TRUE(has_expanded(rules.applies("out_overlaps_itself", "out", kOut).operands[2].layout));
  rules.does_not_apply("out_overlaps_itself", "functional", kPlain);
  rules.does_not_apply("out_overlaps_itself", "out", kEmptyOut);
  EXPECT_EQ(rules.applies("out_is_self", "out", kOut).operands[2].shares_memory_with, 0);
  rules.does_not_apply("out_is_self", "functional", kPlain);
  EXPECT_EQ(rules.applies("out_is_index", "out", kOut).operands[2].shares_memory_with, 1);
  rules.does_not_apply("out_is_index", "out", kEmptyOut);
  rules.all_tried({"index_dtype", "index_dtype_narrow"});
}

}  // namespace
}  // namespace indexfuzz
