// reflection_pad1d_backward's oracle and rules, by hand.

#include "padding_backward_cases.h"

namespace indexfuzz {
namespace {

using List = std::vector<float>;

TEST(ReflectionPad1dBackward, AddsTheMirroredElements) {
  EXPECT_EQ(sums_of("reflection_pad1d_backward functional left=2 right=1", "(1, 3)", "(1, 6)",
                    {1, 2, 4, 8, 16, 32}),
            (List{4, 2 + 8 + 32, 1 + 16}));
  EXPECT_EQ(sums_of("reflection_pad1d_backward functional left=0 right=2", "(2, 3)", "(2, 5)",
                    {1, 2, 4, 8, 16, 1, 3, 9, 27, 81}),
            (List{1 + 16, 2 + 8, 4, 1 + 81, 3 + 27, 9}));
}

TEST(ReflectionPad1dBackward, ShapesAndDtypesFollowFromSelf) {
  expect_shapes_and_dtypes_of_gradients("reflection_pad1d_backward", 1);
}

TEST(ReflectionPad1dBackward, RulesApplyWhereSomethingIsAdded) {
  RuleCases rules = try_padding_grad_rules("reflection_pad1d_backward", 1);
  try_a_padding_as_long(rules, 1);
  rules.all_tried({"padding_empty", "padding_longer"});
}

}  // namespace
}  // namespace indexfuzz
