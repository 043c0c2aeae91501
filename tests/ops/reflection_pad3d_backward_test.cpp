// reflection_pad3d_backward's oracle and rules, by hand.

#include "padding_backward_cases.h"

namespace indexfuzz {
namespace {

using List = std::vector<float>;

TEST(ReflectionPad3dBackward, AddsTheMirroredSlicesRowsAndColumns) {
  EXPECT_EQ(
      sums_of("reflection_pad3d_backward functional left=1 right=0 top=0 bottom=0 front=0 back=1",
              "(1, 2, 1, 2)", "(1, 3, 1, 3)", {1, 2, 4, 8, 16, 32, 64, 128, 256}),
      (List{2 + 128, 1 + 4 + 64 + 256, 16, 8 + 32}));
  EXPECT_EQ(
      sums_of("reflection_pad3d_backward functional left=0 right=0 top=1 bottom=1 front=0 back=0",
              "(1, 1, 2, 1)", "(1, 1, 4, 1)", {1, 2, 4, 8}),
      (List{2 + 8, 1 + 4}));
}

TEST(ReflectionPad3dBackward, ShapesAndDtypesFollowFromSelf) {
  expect_shapes_and_dtypes_of_gradients("reflection_pad3d_backward", 3);
}

TEST(ReflectionPad3dBackward, RulesApplyWhereSomethingIsAdded) {
  RuleCases rules = try_padding_grad_rules("reflection_pad3d_backward", 3);
  try_a_padding_as_long(rules, 3);
  rules.all_tried({"padding_empty", "padding_longer"});
}

}  // namespace
}  // namespace indexfuzz
