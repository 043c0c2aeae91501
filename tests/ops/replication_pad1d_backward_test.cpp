// replication_pad1d_backward's oracle and rules, by hand.

#include "padding_backward_cases.h"

namespace indexfuzz {
namespace {

using List = std::vector<float>;

TEST(ReplicationPad1dBackward, AddsTheCopiesOfBothEnds) {
  EXPECT_EQ(sums_of("replication_pad1d_backward functional left=2 right=1", "(1, 3)", "(1, 6)",
                    {1, 2, 4, 8, 16, 32}),
            (List{1 + 2 + 4, 8, 16 + 32}));
}

TEST(ReplicationPad1dBackward, OneElementMayBeBothEnds) {
  EXPECT_EQ(sums_of("replication_pad1d_backward functional left=1 right=2", "(2, 1)", "(2, 4)",
                    {1, 2, 4, 8, 16, 32, 64, 128}),
            (List{15, 240}));
}

TEST(ReplicationPad1dBackward, ShapesAndDtypesFollowFromSelf) {
  expect_shapes_and_dtypes_of_gradients("replication_pad1d_backward", 1);
}

TEST(ReplicationPad1dBackward, RulesApplyWhereSomethingIsAdded) {
  try_padding_grad_rules("replication_pad1d_backward", 1)
      .all_tried({"padding_empty", "padding_longer"});
}

}  // namespace
}  // namespace indexfuzz
