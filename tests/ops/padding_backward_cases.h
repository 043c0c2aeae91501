#pragma once
// What the gradients of the operators that pad have in common: shapes, dtypes and the illegal
// rules.

#include "padding_cases.h"

namespace indexfuzz {

/// A line of a written case. The shape has sizes of 1 between those of `front` and the last one, as
/// many as stand before the last padded dimension.
inline std::string operand_line(std::string_view name, std::string_view dtype,
                                std::string_view front, int padded_dims, int last) {
  std::string text = std::string(name) + " " + std::string(dtype) + " (" + std::string(front);
  for (int d = 1; d < padded_dims; ++d) text += ", 1";
  return text + ", " + std::to_string(last) + ")\n";
}

/// Self and grad_output, whose last dimension is padded from 2 elements to 3.
inline std::string padding_grad_operands(std::string_view front, int padded_dims) {
  std::string grad = operand_line("grad_output", "float32", front, padded_dims, 3);
  grad.insert(grad.size() - 1, " fill=sums1");
  return operand_line("self", "float32", front, padded_dims, 2) + grad;
}

/// "functional left=1 right=0 top=0 bottom=0", with the operator or the variant in front.
inline std::string padded_once(std::string_view front, int padded_dims) {
  std::string text = std::string(front) + " " + all_paddings(padded_dims, 0);
  text.replace(text.find("left=0"), 6, "left=1");
  return text;
}

/// The sums that these elements of grad_output leave in self.
inline std::vector<float> sums_of(std::string_view call, std::string_view self,
                                  std::string_view grad_output,
                                  const std::vector<float>& elements) {
  const std::string text = std::string(call) + "\nself float32 " + std::string(self) +
                           "\ngrad_output float32 " + std::string(grad_output) + " fill=sums1\n";
  const auto count = static_cast<std::size_t>(numel(written(text).operands[0].shape));
  return bits_of<float>(
      oracle_of(text, {bytes_of(std::vector<float>(count, 9)), bytes_of(elements)}));
}

inline void expect_shapes_and_dtypes_of_gradients(std::string_view op, int padded_dims) {
  const std::string call = padded_once(std::string(op) + " functional", padded_dims) + "\n";
  const std::string none = call + padding_grad_operands("0, 2", padded_dims);
  EXPECT_THAT(oracle_of(none), ::testing::IsEmpty());
  EXPECT_EQ(result_shape_of(none).front(), 0);
  const auto error_with = [&](std::string_view dtype, std::string_view grad_dtype, int last) {
    std::string grad = operand_line("grad_output", grad_dtype, "2", padded_dims, last);
    grad.insert(grad.size() - 1, " fill=sums1");
    return error_of(call + operand_line("self", dtype, "2", padded_dims, 2) + grad);
  };
  EXPECT_EQ(error_with("float32", "float32", 3), "");
  EXPECT_EQ(error_with("bfloat16", "bfloat16", 3), "");
  EXPECT_EQ(error_with("complex64", "complex64", 3), "");
  EXPECT_THAT(error_with("float32", "float32", 2),
              ::testing::HasSubstr("grad_output: its shape must be (2"));
  EXPECT_THAT(error_with("float32", "float64", 3),
              ::testing::HasSubstr("grad_output: its dtype must be float32"));
  EXPECT_THAT(error_with("int64", "int64", 3), ::testing::HasSubstr("self: its dtype must be"));
}

/// Returns the rules, of which a reflection has one more to try.
inline RuleCases try_padding_grad_rules(std::string_view op, int padded_dims) {
  RuleCases rules(op);
  const auto with = [&](std::string_view front) {
    return padding_grad_operands(front, padded_dims);
  };
  const std::string call = padded_once("functional", padded_dims),
                    out_form = padded_once("out", padded_dims), planes = with("2"),
                    batch = with("2, 2"), no_batch = with("0, 2"), one = with("1"),
                    out = planes + operand_line("out", "float32", "2", padded_dims, 2),
                    resized = planes + "out float32 (0)\n";
  const auto grad_after = [&](std::string_view rule, std::string_view operands) {
    return rules.applies(rule, call, operands).operands[1].shape;
  };
  const auto shape = [&](Dims front, std::int64_t last) {
    front.resize(front.size() + static_cast<std::size_t>(padded_dims) - 1, 1);
    front.push_back(last);
    return front;
  };
  for (const std::size_t operand : {0, 1}) {
    const auto shape_after = [&](std::string_view rule, std::string_view operands) {
      return rules.applies(rule, call, operands).operands[operand].shape;
    };
    const auto padded = static_cast<std::size_t>(padded_dims);
    EXPECT_EQ(shape_after("rank_above", planes).size(), padded + 3);
    EXPECT_EQ(shape_after("rank_above", batch).size(), padded + 3);
    EXPECT_EQ(shape_after("rank_below", planes).size(), padded);
    EXPECT_EQ(shape_after("rank_below", batch).size(), padded);
  }
  EXPECT_EQ(rules.applies("self_empty", call, planes).operands[0].shape, shape({2}, 0));
  EXPECT_EQ(grad_after("self_empty", planes), shape({2}, 1));
  EXPECT_EQ(rules.applies("out_dtype", out_form, out).operands[2].dtype, Dtype::kDouble);
  EXPECT_TRUE(has_expanded(rules.applies("out_overlaps_itself", out_form, out).operands[2].layout));
  EXPECT_EQ(rules.applies("grad_dtype", call, planes).operands[1].dtype, Dtype::kInt32);
  EXPECT_EQ(grad_after("grad_size", planes), shape({2}, 4));
  EXPECT_EQ(grad_after("grad_rank", planes), shape({1, 2}, 3));
  EXPECT_EQ(grad_after("grad_rank", batch), shape({2}, 3));
  EXPECT_EQ(grad_after("channels_above", planes), shape({3}, 3));
  EXPECT_EQ(grad_after("channels_above", batch), shape({2, 3}, 3));
  EXPECT_EQ(grad_after("channels_below", planes), shape({1}, 3));
  EXPECT_EQ(grad_after("channels_below", batch), shape({2, 1}, 3));
  EXPECT_EQ(grad_after("batches_above", batch), shape({3, 2}, 3));
  EXPECT_EQ(grad_after("batches_below", batch), shape({1, 2}, 3));
  EXPECT_EQ(grad_after("batches_below", with("1, 2")), shape({0, 2}, 3));

  for (const std::string_view rule :
       {"rank_above", "rank_below", "self_empty", "grad_dtype", "grad_size", "grad_rank",
        "channels_above", "channels_below", "batches_above", "batches_below"})
    rules.does_not_apply(rule, call, no_batch);
  for (const std::string_view rule : {"rank_above", "rank_below", "self_empty"})
    rules.does_not_apply(rule, out_form, out);
  rules.does_not_apply("channels_below", call, one);
  rules.does_not_apply("batches_above", call, planes);
  rules.does_not_apply("batches_below", call, planes);
  rules.does_not_apply("out_dtype", call, planes);
  rules.does_not_apply("out_overlaps_itself", out_form, resized);
  try_paddings_of_another_length(rules, call, planes);
  return rules;
}

/// Pads as many elements on the left as there are.
inline void try_a_padding_as_long(RuleCases& rules, int padded_dims) {
  const Case c = rules.applies("padding_as_long", padded_once("functional", padded_dims),
                               padding_grad_operands("2", padded_dims));
  EXPECT_EQ(c.attributes[0], 2);
  rules.does_not_apply("padding_as_long", padded_once("functional", padded_dims),
                       padding_grad_operands("0, 2", padded_dims));
  EXPECT_EQ(c.operands[1].shape.back(), 4);
}

}  // namespace indexfuzz
