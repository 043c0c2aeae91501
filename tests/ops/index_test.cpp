// index's oracle and rules, by hand. self holds 1, 2, 3, … in row-major order.

#include "ops/families/mask.h"
#include "rule_cases.h"

namespace indexfuzz {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using List = std::vector<double>;

TEST(Index, PositionsSelectRows) {
  EXPECT_EQ(oracle_of("index.Tensor functional\nself float32 (3)\nindices int64 (2) "
                      "fill=descending\n"),
            (List{3, 2}));
  EXPECT_EQ(oracle_of("index.Tensor functional\nself float32 (2, 2)\nindices int32 (3) "
                      "fill=ascending\n"),
            (List{1, 2, 3, 4, 1, 2}));
  EXPECT_EQ(result_shape_of("index.Tensor functional\nself float32 (2, 2)\nindices int32 (3, 1) "
                            "fill=ascending\n"),
            (Dims{3, 1, 2}));
}

TEST(Index, ANegativePositionCountsFromTheEnd) {
  EXPECT_EQ(oracle_of("index.Tensor functional\nself float32 (3)\nindices int64 (2) "
                      "fill=descending negatives=all\n"),
            (List{3, 2}));
}

TEST(Index, AMaskStandsForItsSetElements) {
  EXPECT_EQ(oracle_of("index.Tensor functional\nself int16 (2, 3)\nindices bool (2, 3) "
                      "fill=mask_back popcount=2\n"),
            (List{5, 6}));
  EXPECT_EQ(oracle_of("index.Tensor functional\nself int16 (3, 2)\nindices bool (3) "
                      "fill=mask_back popcount=1\n"),
            (List{5, 6}));
  constexpr std::string_view kNone =
      "index.Tensor functional\nself int16 (3, 2)\nindices bool (3) fill=mask_front\n";
  EXPECT_THAT(oracle_of(kNone), IsEmpty());
  EXPECT_EQ(result_shape_of(kNone), (Dims{0, 2}));
}

TEST(Index, AnyNumberButZeroSetsAUint8Mask) {
  EXPECT_THAT(
      bits_of<float>(oracle_of("index.Tensor functional\nself float32 (3)\nindices uint8 "
                               "(3) fill=mask_front popcount=2\n",
                               {bytes_of<float>({1, 2, 3}), bytes_of<std::uint8_t>({255, 0, 2})})),
      ElementsAre(1, 3));
}

TEST(Index, GapsAloneNameEverything) {
  constexpr std::string_view kGaps =
      "index.Tensor functional\nself float32 (2, 2)\nindices none\nindices none\n";
  EXPECT_EQ(oracle_of(kGaps), (List{1, 2, 3, 4}));
  EXPECT_EQ(result_shape_of(kGaps), (Dims{2, 2}));
}

TEST(Index, NeighboursKeepTheirPlace) {
  // self[:, 1, [0, 1, 0]]
  constexpr std::string_view kCase =
      "index.Tensor functional\nself float32 (2, 2, 2)\nindices none\nindices int64 (1) "
      "fill=last\nindices int64 (3) fill=ascending\n";
  EXPECT_EQ(oracle_of(kCase), (List{3, 4, 3, 7, 8, 7}));
  EXPECT_EQ(result_shape_of(kCase), (Dims{2, 3}));
}

TEST(Index, SeparatedOnesMoveToTheFront) {
  // self[1, :, [0, 1, 0]]
  constexpr std::string_view kCase =
      "index.Tensor functional\nself float32 (2, 2, 2)\nindices int64 (1) fill=last\nindices "
      "none\nindices int64 (3) fill=ascending\n";
  EXPECT_EQ(oracle_of(kCase), (List{5, 7, 6, 8, 5, 7}));
  EXPECT_EQ(result_shape_of(kCase), (Dims{3, 2}));
}

TEST(Index, PositionsBroadcastTogether) {
  // self[[[0], [1]], [2, 1]]
  EXPECT_EQ(oracle_of("index.Tensor functional\nself float32 (2, 3)\nindices int64 (2, 1) "
                      "fill=ascending\nindices int64 (2) fill=descending\n"),
            (List{3, 2, 6, 5}));
  constexpr std::string_view kScalar =
      "index.Tensor functional\nself float32 (3)\nindices int64 () fill=last\n";
  EXPECT_EQ(oracle_of(kScalar), (List{3}));
  EXPECT_EQ(result_shape_of(kScalar), Dims{});
}

TEST(Index, AMaskAndPositionsGoTogether) {
  // self[[True, True], [2, 1]]
  EXPECT_EQ(oracle_of("index.Tensor functional\nself float32 (2, 3)\nindices bool (2) "
                      "fill=mask_front popcount=2\nindices int64 (2) fill=descending\n"),
            (List{3, 5}));
}

TEST(Index, NothingIsSelectedWhereNothingIsNamed) {
  constexpr std::string_view kCase =
      "index.Tensor functional\nself float32 (2, 3)\nindices int64 (0) fill=first\n";
  EXPECT_THAT(oracle_of(kCase), IsEmpty());
  EXPECT_EQ(result_shape_of(kCase), (Dims{0, 3}));
}

TEST(Index, MovesBytesUnchanged) {
  EXPECT_THAT(bits_of<std::uint16_t>(oracle_of(
                  "index.Tensor functional\nself bfloat16 (2)\nindices int64 (3) fill=first\n",
                  {bytes_of<std::uint16_t>({0x7F81, 0x8000}), bytes_of<std::int64_t>({1, -2, 0})})),
              ElementsAre(0x8000, 0x7F81, 0x7F81));
}

TEST(Index, RulesApplyWhereATenLooks) {
  RuleCases rules("index");
  constexpr std::string_view kFunctional = ".Tensor functional", kWritten = ".Tensor out";
  constexpr std::string_view kPlain =
      "self float32 (2, 3)\nindices int64 (2) fill=ascending\nindices none\n";
  constexpr std::string_view kRows = "self float32 (2, 3)\nindices int64 (2) fill=ascending\n";
  constexpr std::string_view kMask =
      "self float32 (2)\nindices bool (2) fill=mask_front popcount=2\n";
  constexpr std::string_view kNothing = "self float32 (2)\nindices int64 (0) fill=first\n";
  constexpr std::string_view kNoColumn = "self float32 (2, 0)\nindices int64 (2) fill=first\n";
  constexpr std::string_view kOut =
      "self float32 (2)\nindices int64 (2) fill=ascending\nout float32 (2)\n";
  constexpr std::string_view kOutOfMask =
      "self float32 (2)\nindices bool (2) fill=mask_front popcount=2\nout float32 (2)\n";
  constexpr std::string_view kLargeOut =
      "self float32 (2)\nindices int64 (5) fill=ascending\nout float32 (5)\n";
  constexpr std::string_view kWideOut =
      "self float32 (2, 3)\nindices int64 (2) fill=ascending\nout float32 (2, 3)\n";
  EXPECT_EQ(rules.applies("index_below", kFunctional, kPlain).operands[1].poke_value, -3);
  rules.does_not_apply("index_below", kFunctional, kMask);
  rules.does_not_apply("index_below", kFunctional, kNoColumn);
  EXPECT_EQ(rules.applies("index_above", kFunctional, kPlain).operands[1].poke_value, 2);
  rules.does_not_apply("index_above", kFunctional, kNothing);
  EXPECT_EQ(rules.applies("index_dtype", kFunctional, kNothing).operands[1].dtype, Dtype::kFloat);
  EXPECT_EQ(rules.applies("index_dtype_narrow", kFunctional, kNothing).operands[1].dtype,
            Dtype::kInt16);
  rules.does_not_apply("index_dtype", kFunctional, kMask);
  rules.does_not_apply("index_dtype_narrow", kFunctional, kMask);
  EXPECT_EQ(rules.applies("mask_shape", kFunctional, kMask).operands[1].shape, (Dims{3}));
  rules.does_not_apply("mask_shape", kFunctional, kPlain);
  constexpr std::string_view kTwo =
      "self float32 (2, 3)\nindices int64 (2) fill=ascending\nindices int64 (2) "
      "fill=ascending\n";
  EXPECT_EQ(rules.applies("later_index_below", kFunctional, kTwo).operands[2].poke_value, -4);
  EXPECT_EQ(rules.applies("later_index_above", kFunctional, kTwo).operands[2].poke_value, 3);
  EXPECT_EQ(rules.applies("later_index_dtype", kFunctional, kTwo).operands[2].dtype, Dtype::kFloat);
  for (const std::string_view rule :
       {"later_index_below", "later_index_above", "later_index_dtype"})
    rules.does_not_apply(rule, kFunctional, kPlain);
  EXPECT_EQ(rules.applies("mask_longer", kFunctional, kMask).operands[1].shape, (Dims{3}));
  EXPECT_EQ(rules.applies("mask_shorter", kFunctional, kMask).operands[1].shape, (Dims{1}));
  rules.does_not_apply("mask_longer", kFunctional, kPlain);
  rules.does_not_apply("mask_shorter", kFunctional, kPlain);
  EXPECT_EQ(rules.applies("too_many_indices", kFunctional, kPlain).operands.size(), 4u);
  rules.does_not_apply("too_many_indices", kFunctional, kRows);
  EXPECT_EQ(rules.applies("no_indices", kFunctional, kRows).operands.size(), 1u);
  EXPECT_EQ(rules
                .applies("indices_shape", kFunctional,
                         "self float32 (2, 3)\nindices int64 (1) fill=first\nindices int64 (4) "
                         "fill=first\n")
                .operands[1]
                .shape,
            (Dims{5}));
  EXPECT_EQ(rules
                .applies("indices_shape", kFunctional,
                         "self float32 (2, 3)\nindices bool (2) fill=mask_front\nindices int64 "
                         "(1) fill=first\n")
                .operands[2]
                .shape,
            (Dims{2}));
  rules.does_not_apply("indices_shape", kFunctional, kPlain);
  const std::string_view two_masks =
      "self float32 (3, 4)\nindices bool (3) fill=mask_front popcount=2\nindices bool (4) "
      "fill=mask_front popcount=2\n";
  const Case counts = rules.applies("mask_counts", kFunctional, two_masks);
  EXPECT_NE(set_elements(counts.operands[1]), set_elements(counts.operands[2]));
  rules.does_not_apply("mask_counts", kFunctional, kMask);
  rules.does_not_apply("mask_counts", kFunctional,
                       "self float32 (3, 4)\nindices bool (3) fill=mask_front popcount=1\nindices "
                       "bool (4) fill=mask_front popcount=1\n");
  rules.does_not_apply("indices_shape", kFunctional,
                       "self float32 (2, 3)\nindices int64 (2) fill=first\nindices int64 (1) "
                       "fill=first\n");
  EXPECT_EQ(rules.applies("out_dtype", kWritten, kOut).operands[2].dtype, Dtype::kDouble);
  rules.does_not_apply("out_dtype", kFunctional, kPlain);
  EXPECT_TRUE(
      has_expanded(rules.applies("out_overlaps_itself", kWritten, kOut).operands[2].layout));
  rules.does_not_apply("out_overlaps_itself", kFunctional, kPlain);
  EXPECT_EQ(rules.applies("out_is_self", kWritten, kOut).operands[2].shares_memory_with, 0);
  rules.does_not_apply("out_is_self", kFunctional, kPlain);
  rules.does_not_apply("out_is_self", kWritten, kLargeOut);
  EXPECT_EQ(rules.applies("out_is_index", kWritten, kOut).operands[2].shares_memory_with, 1);
  rules.does_not_apply("out_is_index", kWritten, kOutOfMask);
  rules.does_not_apply("out_is_index", kWritten, kWideOut);
  EXPECT_EQ(rules.applies("self_empty", kFunctional, kRows).operands[0].shape, (Dims{0, 3}));
  rules.does_not_apply("self_empty", kFunctional, kMask);
  rules.does_not_apply("self_empty", kFunctional, kNothing);
  rules.does_not_apply("self_empty", kFunctional, kNoColumn);
  rules.all_tried({"no_indices"});
}

}  // namespace
}  // namespace indexfuzz
