// replication_pad3d's oracle and rules, by hand. self holds 1, 2, 3, … in row-major order.

#include "padding_cases.h"

namespace indexfuzz {
namespace {

using List = std::vector<double>;

TEST(ReplicationPad3d, RepeatsSlicesRowsAndColumns) {
  EXPECT_EQ(oracle_of("replication_pad3d functional left=1 right=0 top=0 bottom=1 front=0 back=1\n"
                      "self float32 (1, 2, 1, 2)\n"),
            (List{1, 1, 2, 1, 1, 2, 3, 3, 4, 3, 3, 4, 3, 3, 4, 3, 3, 4}));
}

TEST(ReplicationPad3d, EachVolumeHasItsOwnEdges) {
  EXPECT_EQ(oracle_of("replication_pad3d functional left=0 right=0 top=0 bottom=0 front=2 back=0\n"
                      "self int64 (2, 1, 1, 1, 1)\n"),
            (List{1, 1, 1, 2, 2, 2}));
}

TEST(ReplicationPad3d, ABatchMayBeEmpty) {
  expect_an_empty_batch_is_padded("replication_pad3d", 3);
}

TEST(ReplicationPad3d, RulesApplyWhereATenLooks) {
  RuleCases rules = try_padding_rules("replication_pad3d", 3);
  // 3 + (2^63 - 1) + (2^63 - 1) is 1 in 64 bits.
  EXPECT_EQ(
      rules.applies("padding_overflows", "functional", "self float32 (1, 3, 1, 1)\n").attributes[5],
      INT64_MAX);
  rules.does_not_apply("padding_overflows", "functional", "self float32 (1, 2, 1, 2)\n");
  rules.all_tried({"self_empty", "padding_empty", "padding_longer"});
}

}  // namespace
}  // namespace indexfuzz
