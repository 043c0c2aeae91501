// index_copy's oracle and rules, by hand. self holds 1, 2, 3, …, source -1, -2, -3, … in row-major
// order.

#include "rule_cases.h"

namespace indexfuzz {
namespace {

using ::testing::ElementsAre;
using List = std::vector<double>;

TEST(IndexCopy, CopiesEverySliceToTheNamedOne) {
  // index = 2, 1
  EXPECT_EQ(oracle_of("index_copy functional\nself float32 (3, 2)\nindex int64 (2) "
                      "fill=descending\nsource float32 (2, 2)\n"),
            (List{1, 2, -3, -4, -1, -2}));
  EXPECT_EQ(oracle_of("index_copy in-place dim=-1\nself int16 (2, 3)\nindex int64 (2) "
                      "fill=ascending\nsource int16 (2, 2)\n"),
            (List{-1, -2, 3, -3, -4, 6}));
  EXPECT_EQ(oracle_of("index_copy functional dim=1\nself int64 (2, 2, 2)\nindex int64 () "
                      "fill=last\nsource int64 (2, 1, 2)\n"),
            (List{1, 2, -1, -2, 5, 6, -3, -4}));
}

TEST(IndexCopy, ScalarsCountAsOneSlice) {
  EXPECT_EQ(oracle_of("index_copy functional\nself int64 ()\nindex int64 () fill=first\nsource "
                      "int64 ()\n"),
            (List{-1}));
  EXPECT_EQ(oracle_of("index_copy functional\nself int64 (3)\nindex int64 (1) fill=last\nsource "
                      "int64 ()\n"),
            (List{1, 2, -1}));
  EXPECT_EQ(oracle_of("index_copy functional\nself int64 ()\nindex int64 (2) fill=first\nsource "
                      "int64 (2)\n"),
            (List{-2}));
  EXPECT_EQ(oracle_of("index_copy functional\nself int64 () fill=ones\nindex int64 (0) fill=first\n"
                      "source int64 (0)\n"),
            (List{1}));
  EXPECT_THAT(error_of("index_copy functional\nself int64 (2)\nindex int64 (2) fill=first\nsource "
                       "int64 ()\n"),
              ::testing::HasSubstr("source: its shape must be (2), not ()"));
  EXPECT_THAT(error_of("index_copy functional\nself int64 (2, 1)\nindex int64 () fill=first\n"
                       "source int64 ()\n"),
              ::testing::HasSubstr("source: its shape must be (1, 1), not ()"));
}

TEST(IndexCopy, AnEmptyIndexLeavesSelf) {
  EXPECT_EQ(oracle_of("index_copy functional\nself float32 (2, 1)\nindex int64 (0) fill=first\n"
                      "source float32 (0, 1)\n"),
            (List{1, 2}));
}

TEST(IndexCopy, MovesBytesUnchanged) {
  EXPECT_THAT(bits_of<std::uint16_t>(oracle_of(
                  "index_copy functional\nself float16 (2)\nindex int64 (1) fill=first\nsource "
                  "float16 (1)\n",
                  {bytes_of<std::uint16_t>({1, 2}), bytes_of<std::int64_t>({1}),
                   bytes_of<std::uint16_t>({0x7C01})})),
              ElementsAre(1, 0x7C01));
}

TEST(IndexCopy, EverySliceThatIsCopiedContributes) {
  const Case c = written(
      "index_copy functional dim=1\nself int32 (2, 2)\nindex int64 (2) fill=last\nsource int32 "
      "(2, 2)\n");
  EXPECT_EQ(operator_of(c).agreement(c), Agreement::kAnyContributor);
  const auto self = bytes_of<std::int32_t>({1, 2, 3, 4}),
             source = bytes_of<std::int32_t>({-1, -2, -3, -4});
  const auto index = bytes_of<std::int64_t>({1, 1});
  const LogicalOperand operands[] = {{self.data(), 4}, {index.data(), 2}, {source.data(), 4}};
  std::vector<std::pair<std::int64_t, std::int32_t>> seen;
  operator_of(c).contributions(
      {c, operands},
      [](void* context, Contribution one) {
        std::int32_t value;
        std::memcpy(&value, one.value, sizeof value);
        static_cast<decltype(seen)*>(context)->emplace_back(one.element, value);
      },
      &seen);
  EXPECT_THAT(seen,
              ElementsAre(std::pair(1, -1), std::pair(1, -2), std::pair(3, -3), std::pair(3, -4)));
}

TEST(IndexCopy, RulesApplyWhereATenLooks) {
  RuleCases rules("index_copy");
  constexpr std::string_view kPlain =
      "self int64 (3, 2)\nindex int64 (2) fill=first\nsource int64 (2, 2)\n";
  constexpr std::string_view kEmpty =
      "self int64 (3, 2)\nindex int64 (0) fill=first\nsource int64 (0, 2)\n";
  constexpr std::string_view kNoElements =
      "self int64 (3, 0)\nindex int64 (2) fill=first\nsource int64 (2, 0)\n";
  constexpr std::string_view kScalar =
      "self int64 ()\nindex int64 () fill=first\nsource int64 ()\n";
  constexpr std::string_view kOut =
      "self int64 (3, 2)\nindex int64 (3) fill=first\nsource int64 (3, 2)\nout int64 (3, 2)\n";
  EXPECT_EQ(rules.applies("index_below", "functional", kPlain).operands[1].poke_value, -1);
  rules.does_not_apply("index_below", "functional", kEmpty);
  rules.does_not_apply("index_below", "functional", kNoElements);
  EXPECT_EQ(rules.applies("index_above", "functional dim=-2", kPlain).operands[1].poke_value, 3);
  rules.does_not_apply("index_above", "functional", kNoElements);
  EXPECT_EQ(rules.applies("index_rank", "functional", kScalar).operands[1].shape, (Dims{1, 1}));
  EXPECT_EQ(rules.applies("index_dtype", "functional", kEmpty).operands[1].dtype, Dtype::kFloat);
  EXPECT_EQ(rules.applies("index_dtype_narrow", "functional", kEmpty).operands[1].dtype,
            Dtype::kInt16);
  EXPECT_EQ(rules.applies("dim_above", "functional", kPlain).attributes[0], 2);
  EXPECT_EQ(rules.applies("source_dtype", "functional", kEmpty).operands[2].dtype, Dtype::kInt32);
  EXPECT_EQ(rules.applies("source_rank", "functional", kEmpty).operands[2].shape, (Dims{0, 2, 1}));
  rules.does_not_apply("source_rank", "functional", kScalar);
  EXPECT_EQ(rules.applies("source_count", "functional", kPlain).operands[2].shape, (Dims{1, 2}));
  EXPECT_EQ(rules.applies("source_count", "functional", kEmpty).operands[2].shape, (Dims{1, 2}));
  rules.does_not_apply("source_count", "functional", kScalar);
  EXPECT_EQ(rules.applies("source_shape", "functional", kPlain).operands[2].shape, (Dims{2, 1}));
  EXPECT_EQ(rules
                .applies("source_shape", "functional dim=1",
                         "self int64 (0, 3)\nindex int64 (2) fill=first\nsource int64 (0, 2)\n")
                .operands[2]
                .shape,
            (Dims{1, 2}));
  rules.does_not_apply("source_shape", "functional", kScalar);
  EXPECT_EQ(rules.applies("source_is_written", "in-place", kPlain).operands[2].shares_memory_with,
            0);
  EXPECT_EQ(rules.applies("source_is_written", "out", kOut).operands[3].shares_memory_with, 2);
  // One that was drawn with an offset ends where self does.
  const Case at_the_end =
      rules.applies("source_is_written", "in-place",
                    "self int64 (5, 2)\nindex int64 (2) fill=last\nsource int64 (2, 2) offset=1\n");
  EXPECT_EQ(at_the_end.operands[2].layout.offset, 6);
  EXPECT_EQ(at_the_end.operands[0].layout.offset, 0);
  const Case of_the_same_size =
      rules.applies("source_is_written", "in-place",
                    "self int64 (2)\nindex int64 (2) fill=ascending\nsource int64 (2) offset=1\n");
  EXPECT_EQ(of_the_same_size.operands[2].layout.offset, 0);
  rules.does_not_apply("source_is_written", "functional", kPlain);
  rules.does_not_apply("source_is_written", "in-place", kEmpty);
  EXPECT_TRUE(has_expanded(
      rules.applies("written_overlaps_itself", "in-place", kEmpty).operands[0].layout));
  EXPECT_TRUE(
      has_expanded(rules.applies("written_overlaps_itself", "out", kOut).operands[3].layout));
  rules.does_not_apply("written_overlaps_itself", "functional", kPlain);
  rules.does_not_apply("written_overlaps_itself", "in-place", kScalar);
  EXPECT_EQ(rules.applies("out_dtype", "out", kOut).operands[3].dtype, Dtype::kDouble);
  rules.does_not_apply("out_dtype", "in-place", kPlain);
  EXPECT_EQ(rules.applies("self_empty", "in-place", kPlain).operands[0].shape[0], 0);
  rules.does_not_apply("self_empty", "functional", kEmpty);
  rules.does_not_apply("self_empty", "functional", kNoElements);
  rules.does_not_apply("self_empty", "out", kOut);
  EXPECT_EQ(rules.applies("index_is_written", "in-place", kPlain).operands[1].shares_memory_with,
            0);
  EXPECT_EQ(rules
                .applies("index_is_written", "out",
                         "self int32 (3, 2)\nindex int64 (3) fill=first\nsource int32 (3, 2)\nout "
                         "int32 (3, 2)\n")
                .operands[3]
                .shares_memory_with,
            1);
  rules.does_not_apply("index_is_written", "out", kOut);
  rules.does_not_apply("index_is_written", "functional", kPlain);
  rules.does_not_apply("index_is_written", "in-place", kEmpty);
  EXPECT_EQ(rules.applies("dim_below", "functional", kPlain).attributes[0], -3);
  EXPECT_EQ(rules.applies("source_rank_lower", "functional", kPlain).operands[2].shape, Dims{2});
  EXPECT_EQ(rules
                .applies("source_rank_lower", "functional",
                         "self int64 (3)\nindex int64 (2) fill=first\nsource int64 (2)\n")
                .operands[2]
                .shape,
            Dims{});
  rules.does_not_apply("source_rank_lower", "functional",
                       "self int64 (3)\nindex int64 (1) fill=first\nsource int64 (1)\n");
  rules.all_tried({"index_rank", "index_dtype", "index_dtype_narrow", "dim_above", "dim_below",
                   "source_dtype"});
}

}  // namespace
}  // namespace indexfuzz
