// reflection_pad2d_backward's oracle and rules, by hand.

#include "padding_backward_cases.h"

namespace indexfuzz {
namespace {

using List = std::vector<float>;

TEST(ReflectionPad2dBackward, AddsTheMirroredRowsAndColumns) {
  // Padded, self is d c d, b a b, d c d.
  EXPECT_EQ(sums_of("reflection_pad2d_backward functional left=1 right=0 top=1 bottom=0",
                    "(1, 2, 2)", "(1, 3, 3)", {1, 2, 4, 8, 16, 32, 64, 128, 256}),
            (List{16, 8 + 32, 2 + 128, 1 + 4 + 64 + 256}));
}

TEST(ReflectionPad2dBackward, EachPlaneHasSumsOfItsOwn) {
  EXPECT_EQ(sums_of("reflection_pad2d_backward functional left=0 right=1 top=0 bottom=0",
                    "(2, 1, 1, 2)", "(2, 1, 1, 3)", {1, 2, 4, 8, 16, 32}),
            (List{1 + 4, 2, 8 + 32, 16}));
}

TEST(ReflectionPad2dBackward, ShapesAndDtypesFollowFromSelf) {
  expect_shapes_and_dtypes_of_gradients("reflection_pad2d_backward", 2);
}

TEST(ReflectionPad2dBackward, RulesApplyWhereSomethingIsAdded) {
  RuleCases rules = try_padding_grad_rules("reflection_pad2d_backward", 2);
  try_a_padding_as_long(rules, 2);
  rules.all_tried({"padding_empty", "padding_longer"});
}

}  // namespace
}  // namespace indexfuzz
