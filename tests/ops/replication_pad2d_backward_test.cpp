// replication_pad2d_backward's oracle and rules, by hand.

#include "padding_backward_cases.h"

namespace indexfuzz {
namespace {

using List = std::vector<float>;

TEST(ReplicationPad2dBackward, AddsTheCopiesOfEdgesAndCorners) {
  EXPECT_EQ(sums_of("replication_pad2d_backward functional left=1 right=0 top=0 bottom=1",
                    "(1, 2, 2)", "(1, 3, 3)", {1, 2, 4, 8, 16, 32, 64, 128, 256}),
            (List{1 + 2, 4, 8 + 16 + 64 + 128, 32 + 256}));
}

TEST(ReplicationPad2dBackward, EachPlaneHasSumsOfItsOwn) {
  EXPECT_EQ(sums_of("replication_pad2d_backward functional left=0 right=0 top=2 bottom=0",
                    "(2, 1, 1, 2)", "(2, 1, 3, 2)", {1, 2, 4, 8, 16, 32, 1, 3, 9, 27, 81, 243}),
            (List{1 + 4 + 16, 2 + 8 + 32, 1 + 9 + 81, 3 + 27 + 243}));
}

TEST(ReplicationPad2dBackward, ShapesAndDtypesFollowFromSelf) {
  expect_shapes_and_dtypes_of_gradients("replication_pad2d_backward", 2);
}

TEST(ReplicationPad2dBackward, RulesApplyWhereSomethingIsAdded) {
  try_padding_grad_rules("replication_pad2d_backward", 2)
      .all_tried({"padding_empty", "padding_longer"});
}

}  // namespace
}  // namespace indexfuzz
