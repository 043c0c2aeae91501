// put's oracle and rules, by hand. self holds 1, 2, 3, … in row-major order, source -1, -2, -3, …

#include "ops/repair/repair.h"
#include "rule_cases.h"

namespace indexfuzz {
namespace {

using ::testing::ElementsAre;
using List = std::vector<double>;

TEST(Put, CountsElementsInRowMajorOrder) {
  constexpr std::string_view kCase =
      "put functional\nself float32 (2, 3)\nindex int64 (2) fill=descending\nsource float32 (2)\n";
  EXPECT_EQ(oracle_of(kCase), (List{1, 2, 3, 4, -2, -1}));
  EXPECT_EQ(result_shape_of(kCase), (Dims{2, 3}));
  // Whatever lies in memory.
  EXPECT_EQ(oracle_of("put in-place\nself float32 (2, 3) order=(1, 0)\nindex int64 (2) "
                      "fill=descending\nsource float32 (2)\n"),
            (List{1, 2, 3, 4, -2, -1}));
}

TEST(Put, ANegativeIndexCountsFromTheEndOfAll) {
  EXPECT_EQ(oracle_of("put functional\nself float32 (2, 3)\nindex int64 (1) fill=last "
                      "negatives=all\nsource float32 (1)\n"),
            (List{1, 2, 3, 4, 5, -1}));
}

TEST(Put, TheSourceMayHaveAnotherShape) {
  EXPECT_EQ(oracle_of("put functional\nself float32 (4)\nindex int64 (2, 2) fill=ascending\n"
                      "source float32 (4)\n"),
            (List{-1, -2, -3, -4}));
  EXPECT_EQ(
      oracle_of("put functional\nself float32 ()\nindex int64 () fill=first\nsource float32 (1)\n"),
      (List{-1}));
  EXPECT_THAT(error_of("put functional\nself float32 (4)\nindex int64 (2) fill=first\nsource "
                       "float32 (3)\n"),
              ::testing::HasSubstr("source: its shape must be (2)"));
}

TEST(Put, ASourceOfAnotherCountKeepsItsRank) {
  const auto repaired = [](Dims index, Dims source) {
    Case c = written(
        "put functional\nself float32 (4)\nindex int64 (2) fill=first\n"
        "source float32 (2)\n");
    c.operands[1].shape = std::move(index);
    c.operands[2].shape = std::move(source);
    repair(c, Limits{});
    return c.operands[2].shape;
  };
  EXPECT_EQ(repaired({12}, {5, 3, 2}), (Dims{2, 3, 2}));
  EXPECT_EQ(repaired({2, 3}, {}), (Dims{6}));
  EXPECT_EQ(repaired({2, 0}, {3, 2}), (Dims{0, 2}));
  EXPECT_EQ(repaired({1, 1}, {}), (Dims{}));
  EXPECT_EQ(repaired({7}, {1, 3}), (Dims{7, 1}));
}

TEST(Put, AnyOfTheValuesForOneElementMayWin) {
  const Expectation expected = expectation(
      written("put functional\nself int32 (2)\nindex int64 (2) fill=last\nsource int32 (2)\n"));
  ASSERT_EQ(expected.admissible.size(), 2u);
  EXPECT_EQ(expected.admissible[0].size(), 0u);
  EXPECT_EQ(expected.admissible[1].size(), 2u);
}

TEST(Put, AccumulatesEveryValue) {
  EXPECT_EQ(oracle_of("put functional accumulate=true\nself int32 (2)\nindex int64 (3) fill=last\n"
                      "source int32 (3)\n"),
            (List{1, 2 - 1 - 2 - 3}));
  EXPECT_EQ(oracle_of("put functional accumulate=true\nself bool (2) fill=zeros\nindex int64 (2) "
                      "fill=first\nsource bool (2) fill=ones\n"),
            (List{1, 0}));
}

TEST(Put, MovesBytesUnchanged) {
  EXPECT_THAT(
      bits_of<std::uint16_t>(oracle_of(
          "put functional\nself float16 (2)\nindex int64 (2) fill=ascending\nsource float16 (2)\n",
          {bytes_of<std::uint16_t>({0, 0}), bytes_of<std::int64_t>({-1, 0}),
           bytes_of<std::uint16_t>({0x7C01, 0x8000})})),
      ElementsAre(0x8000, 0x7C01));
}

TEST(Put, RulesApplyWhereATenLooks) {
  RuleCases rules("put");
  constexpr std::string_view kPlain =
      "self float32 (2, 3)\nindex int64 (4) fill=first\nsource float32 (4)\n";
  constexpr std::string_view kEmpty =
      "self float32 (2, 3)\nindex int64 (0) fill=first\nsource float32 (0)\n";
  constexpr std::string_view kOut =
      "self float32 (2, 3)\nindex int64 (4) fill=first\nsource float32 (4)\nout float32 (2, 3)\n";
  constexpr std::string_view kIntegers =
      "self int64 (2, 3)\nindex int64 (4) fill=first\nsource int64 (4)\n";
  EXPECT_EQ(rules.applies("index_below", "functional", kPlain).operands[1].poke_value, -7);
  rules.does_not_apply("index_below", "functional", kEmpty);
  EXPECT_EQ(rules.applies("source_shorter", "functional", kPlain).operands[2].shape, Dims{3});
  rules.does_not_apply("source_shorter", "functional", kEmpty);
  EXPECT_EQ(rules.applies("index_above", "functional", kPlain).operands[1].poke_value, 6);
  rules.does_not_apply("index_above", "functional", kEmpty);
  EXPECT_EQ(rules.applies("index_dtype", "functional", kEmpty).operands[1].dtype, Dtype::kFloat);
  EXPECT_EQ(rules.applies("index_dtype_narrow", "functional", kEmpty).operands[1].dtype,
            Dtype::kInt16);
  EXPECT_EQ(rules.applies("source_dtype", "functional", kEmpty).operands[2].dtype, Dtype::kInt32);
  EXPECT_EQ(rules.applies("source_longer", "functional", kPlain).operands[2].shape, (Dims{5}));
  EXPECT_EQ(rules.applies("self_empty", "functional", kPlain).operands[0].shape, (Dims{0}));
  rules.does_not_apply("self_empty", "functional", kEmpty);
  rules.does_not_apply("self_empty", "out", kOut);
  EXPECT_TRUE(
      has_expanded(rules.applies("written_overlaps_itself", "out", kOut).operands[3].layout));
  rules.does_not_apply("written_overlaps_itself", "functional", kPlain);
  EXPECT_EQ(rules.applies("self_is_source", "in-place", kPlain).operands[2].shares_memory_with, 0);
  rules.does_not_apply("self_is_source", "out", kOut);
  EXPECT_EQ(rules.applies("self_is_index", "in-place", kIntegers).operands[1].shares_memory_with,
            0);
  rules.does_not_apply("self_is_index", "in-place", kEmpty);
  EXPECT_EQ(rules.applies("out_dtype", "out", kOut).operands[3].dtype, Dtype::kDouble);
  rules.does_not_apply("out_dtype", "functional", kPlain);
  rules.all_tried({"index_dtype", "index_dtype_narrow", "source_dtype", "source_longer"});
}

}  // namespace
}  // namespace indexfuzz
