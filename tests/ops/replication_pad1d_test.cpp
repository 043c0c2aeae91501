// replication_pad1d's oracle and rules, by hand. self holds 1, 2, 3, … in row-major order.

#include "padding_cases.h"

namespace indexfuzz {
namespace {

using List = std::vector<double>;

TEST(ReplicationPad1d, RepeatsBothEnds) {
  EXPECT_EQ(oracle_of("replication_pad1d functional left=2 right=1\nself float32 (1, 3)\n"),
            (List{1, 1, 1, 2, 3, 3}));
  EXPECT_EQ(oracle_of("replication_pad1d functional left=0 right=2\nself int64 (2, 2)\n"),
            (List{1, 2, 2, 2, 3, 4, 4, 4}));
}

TEST(ReplicationPad1d, PadsBeyondTheSize) {
  EXPECT_EQ(oracle_of("replication_pad1d functional left=3 right=2\nself float32 (1, 1)\n"),
            (List{1, 1, 1, 1, 1, 1}));
}

TEST(ReplicationPad1d, ABatchMayBeEmpty) {
  expect_an_empty_batch_is_padded("replication_pad1d", 1);
}

TEST(ReplicationPad1d, RulesApplyWhereATenLooks) {
  RuleCases rules = try_padding_rules("replication_pad1d", 1);
  // 3 + (2^63 - 1) + (2^63 - 1) is 1 in 64 bits.
  EXPECT_EQ(rules.applies("padding_overflows", "functional", "self float32 (1, 3)\n").attributes[1],
            INT64_MAX);
  rules.does_not_apply("padding_overflows", "functional", "self float32 (1, 2)\n");
  rules.all_tried({"self_empty", "padding_empty", "padding_longer"});
}

}  // namespace
}  // namespace indexfuzz
