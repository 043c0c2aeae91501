// replication_pad2d's oracle and rules, by hand. self holds 1, 2, 3, … in row-major order.

#include "padding_cases.h"

namespace indexfuzz {
namespace {

using List = std::vector<double>;

TEST(ReplicationPad2d, RepeatsAllFourEdges) {
  EXPECT_EQ(
      oracle_of(
          "replication_pad2d functional left=1 right=0 top=1 bottom=0\nself float32 (1, 2, 2)\n"),
      (List{1, 1, 2, 1, 1, 2, 3, 3, 4}));
  EXPECT_EQ(
      oracle_of(
          "replication_pad2d functional left=0 right=1 top=0 bottom=1\nself float32 (1, 2, 2)\n"),
      (List{1, 2, 2, 3, 4, 4, 3, 4, 4}));
}

TEST(ReplicationPad2d, EachPlaneHasItsOwnEdges) {
  EXPECT_EQ(
      oracle_of(
          "replication_pad2d functional left=1 right=0 top=0 bottom=1\nself int64 (2, 1, 1, 1)\n"),
      (List{1, 1, 1, 1, 2, 2, 2, 2}));
}

TEST(ReplicationPad2d, ABatchMayBeEmpty) {
  expect_an_empty_batch_is_padded("replication_pad2d", 2);
}

TEST(ReplicationPad2d, RulesApplyWhereATenLooks) {
  RuleCases rules = try_padding_rules("replication_pad2d", 2);
  // 3 + (2^63 - 1) + (2^63 - 1) is 1 in 64 bits.
  EXPECT_EQ(
      rules.applies("padding_overflows", "functional", "self float32 (1, 3, 2)\n").attributes[3],
      INT64_MAX);
  rules.does_not_apply("padding_overflows", "functional", "self float32 (1, 2, 2)\n");
  rules.all_tried({"self_empty", "padding_empty", "padding_longer"});
}

}  // namespace
}  // namespace indexfuzz
