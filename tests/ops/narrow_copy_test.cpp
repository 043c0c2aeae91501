// narrow_copy's oracle and rules, by hand. self holds 1, 2, 3, … in row-major order.

#include "rule_cases.h"

namespace indexfuzz {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using List = std::vector<double>;

TEST(NarrowCopy, TakesNeighbouringSlices) {
  constexpr std::string_view kSelf = "self float32 (3, 2)\n";
  const auto taken = [&](std::string_view call) {
    return oracle_of("narrow_copy functional " + std::string(call) + "\n" + std::string(kSelf));
  };
  EXPECT_EQ(taken("dim=0 start=1 length=2"), (List{3, 4, 5, 6}));
  EXPECT_EQ(taken("dim=1 start=1 length=1"), (List{2, 4, 6}));
  EXPECT_EQ(taken("dim=-2 start=0 length=1"), (List{1, 2}));
  EXPECT_EQ(taken("dim=1 start=0 length=2"), (List{1, 2, 3, 4, 5, 6}));
}

TEST(NarrowCopy, StartMayCountFromTheEnd) {
  EXPECT_EQ(oracle_of("narrow_copy functional dim=0 start=-2 length=1\nself int64 (3)\n"),
            (List{2}));
  EXPECT_EQ(oracle_of("narrow_copy functional dim=0 start=-3 length=3\nself int64 (3)\n"),
            (List{1, 2, 3}));
}

TEST(NarrowCopy, NothingIsTakenBehindTheLastSlice) {
  EXPECT_THAT(oracle_of("narrow_copy functional dim=0 start=3 length=0\nself int64 (3)\n"),
              IsEmpty());
  EXPECT_THAT(error_of("narrow_copy functional dim=0 start=2 length=2\nself int64 (3)\n"),
              HasSubstr("length must be 1"));
  EXPECT_THAT(error_of("narrow_copy functional dim=0 start=5 length=0\nself int64 (3)\n"),
              HasSubstr("start must be 1"));
}

TEST(NarrowCopy, MovesBytesUnchanged) {
  EXPECT_THAT(bits_of<std::uint16_t>(
                  oracle_of("narrow_copy functional dim=0 start=1 length=1\nself float16 (2)\n",
                            {bytes_of<std::uint16_t>({0x8000, 0x7C01})})),
              ElementsAre(0x7C01));
}

TEST(NarrowCopy, RulesApplyWhereATenLooks) {
  RuleCases rules("narrow_copy");
  constexpr std::string_view kCall = "functional dim=1 start=-2 length=2",
                             kRow = "functional dim=0 start=1 length=2",
                             kOutForm = "out dim=1 start=0 length=2";
  constexpr std::string_view kSelf = "self float32 (2, 3)\n", kVector = "self float32 (3)\n";
  constexpr std::string_view kOut = "self float32 (2, 3)\nout float32 (2, 2)\n";
  constexpr std::string_view kResized = "self float32 (2, 3)\nout float32 (0)\n";
  EXPECT_EQ(rules.applies("start_below", kCall, kSelf).attributes[1], -4);
  EXPECT_EQ(rules.applies("start_above", kCall, kSelf).attributes[1], 4);
  EXPECT_EQ(rules.applies("length_below", kCall, kSelf).attributes[2], -1);
  rules.does_not_apply("length_below", kOutForm, kOut);
  EXPECT_EQ(rules.applies("length_above", kCall, kSelf).attributes[2], 3);
  rules.does_not_apply("length_above", kOutForm, kOut);
  EXPECT_EQ(rules.applies("dim_above", kCall, kSelf).attributes[0], 2);
  EXPECT_EQ(rules.applies("dim_below", kCall, kSelf).attributes[0], -3);
  EXPECT_THAT(rules.applies("self_rank", kRow, kVector).operands[0].shape, IsEmpty());
  rules.does_not_apply("self_rank", kCall, kSelf);
  EXPECT_EQ(rules.applies("out_dtype", kOutForm, kOut).operands[1].dtype, Dtype::kDouble);
  rules.does_not_apply("out_dtype", kCall, kSelf);
  EXPECT_TRUE(
      has_expanded(rules.applies("out_overlaps_itself", kOutForm, kOut).operands[1].layout));
  rules.does_not_apply("out_overlaps_itself", kOutForm, kResized);
  rules.all_tried({"start_below", "start_above", "dim_above", "dim_below"});
}

}  // namespace
}  // namespace indexfuzz
