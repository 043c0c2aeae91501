#pragma once
// What the operators that pad have in common: empty batches and the illegal rules.

#include <span>

#include "rule_cases.h"

namespace indexfuzz {

/// "left=1 right=1 top=1 bottom=1", for as many dimensions as are padded.
inline std::string all_paddings(int padded_dims, int count) {
  constexpr std::string_view kSides[] = {"left", "right", "top", "bottom", "front", "back"};
  std::string text;
  for (const std::string_view side :
       std::span(kSides).first(static_cast<std::size_t>(2 * padded_dims))) {
    text += (text.empty() ? "" : " ") + std::string(side) + "=" + std::to_string(count);
  }
  return text;
}

inline void expect_an_empty_batch_is_padded(std::string_view op, int padded_dims) {
  Dims padded{0, 2};
  std::string shape = "(0, 2";
  for (int d = 0; d < padded_dims; ++d) {
    shape += ", 3";
    padded.push_back(5);
  }
  const std::string text = std::string(op) + " functional " + all_paddings(padded_dims, 1) +
                           "\nself float32 " + shape + ")\n";
  EXPECT_THAT(oracle_of(text), ::testing::IsEmpty());
  EXPECT_EQ(result_shape_of(text), padded);
}

inline void try_paddings_of_another_length(RuleCases& rules, std::string_view call,
                                           std::string_view operands) {
  EXPECT_EQ(rules.applies("padding_empty", call, operands).misfit_list, (MisfitList{0, true}));
  EXPECT_EQ(rules.applies("padding_longer", call, operands).misfit_list, (MisfitList{0, false}));
}

/// Returns the rules, of which a reflection has one more to try.
inline RuleCases try_padding_rules(std::string_view op, int padded_dims) {
  RuleCases rules(op);
  std::string shape = "(1";
  for (int d = 1; d < padded_dims; ++d) shape += ", 1";
  shape += ", 2)";
  const std::string call = "functional " + all_paddings(padded_dims, 0),
                    out_form = "out " + all_paddings(padded_dims, 0),
                    self = "self float32 " + shape + "\n",
                    out = self + "out float32 " + shape + "\n",
                    resized = self + "out float32 (0)\n";
  EXPECT_EQ(rank(rules.applies("rank_above", call, self).operands[0].shape), padded_dims + 3);
  rules.does_not_apply("rank_above", out_form, out);
  EXPECT_EQ(rank(rules.applies("rank_below", call, self).operands[0].shape), padded_dims);
  rules.does_not_apply("rank_below", out_form, out);
  EXPECT_EQ(rules.applies("self_empty", call, self).operands[0].shape.back(), 0);
  EXPECT_EQ(rules.applies("out_dtype", out_form, out).operands[1].dtype, Dtype::kDouble);
  rules.does_not_apply("out_dtype", call, self);
  EXPECT_TRUE(has_expanded(rules.applies("out_overlaps_itself", out_form, out).operands[1].layout));
  rules.does_not_apply("out_overlaps_itself", out_form, resized);
  try_paddings_of_another_length(rules, call, self);
  return rules;
}

}  // namespace indexfuzz
