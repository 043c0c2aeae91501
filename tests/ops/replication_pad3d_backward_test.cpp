// replication_pad3d_backward's oracle and rules, by hand.

#include "padding_backward_cases.h"

namespace indexfuzz {
namespace {

using List = std::vector<float>;

TEST(ReplicationPad3dBackward, AddsTheCopiesOfFacesEdgesAndCorners) {
  EXPECT_EQ(
      sums_of("replication_pad3d_backward functional left=0 right=1 top=0 bottom=0 front=1 back=0",
              "(1, 2, 1, 2)", "(1, 3, 1, 3)", {1, 2, 4, 8, 16, 32, 64, 128, 256}),
      (List{1 + 8, 2 + 4 + 16 + 32, 64, 128 + 256}));
  EXPECT_EQ(
      sums_of("replication_pad3d_backward functional left=0 right=0 top=1 bottom=2 front=0 back=0",
              "(1, 1, 2, 1)", "(1, 1, 5, 1)", {1, 2, 4, 8, 16}),
      (List{1 + 2, 4 + 8 + 16}));
}

TEST(ReplicationPad3dBackward, ShapesAndDtypesFollowFromSelf) {
  expect_shapes_and_dtypes_of_gradients("replication_pad3d_backward", 3);
}

TEST(ReplicationPad3dBackward, RulesApplyWhereSomethingIsAdded) {
  try_padding_grad_rules("replication_pad3d_backward", 3)
      .all_tried({"padding_empty", "padding_longer"});
}

}  // namespace
}  // namespace indexfuzz
