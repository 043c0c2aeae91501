#pragma once
// Operators computed by their own derivatives. An operator that only moves, replaces and adds
// elements is linear: its derivative in the direction of its operands is its result for these
// operands. Unlike gradients.h, this needs no rule for each operator.

#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>
#include <c10/util/FunctionRef.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "run/call/plan.h"

namespace indexfuzz {

/// Replaces the arguments of ATen's operator at the end of the stack by its result, computed in
/// forward mode: each floating-point or complex operand has zeros as primal and its own elements as
/// tangent, and the tangent of the output is the result. (A sum that `scatter_reduce` makes along a
/// negative dim is computed as the derivative of the product at ones.) An in-place call also writes
/// the result into the first operand. Throws what the call throws; c10::NotImplementedError if no
/// operand has such a dtype or the call is not linear.
void call_in_forward_mode(const c10::OperatorHandle& op, torch::jit::Stack& stack);

/// As call_in_forward_mode(), by double backward: back-propagates a gradient g of zeros through a
/// call at zeros, then back-propagates the operands through that gradient, which is linear in g.
/// The gradient with respect to g is the result.
void call_by_double_backward(const c10::OperatorHandle& op, torch::jit::Stack& stack);

/// The result of `kernel`, recomputed from its gradient:
/// 1. Calls `kernel` while gradients are recorded, and again without. If the results differ,
///    returns the recorded one, for the judge to find the difference. Otherwise
/// 2. calls `kernel` at zeros and back-propagates one-hot gradients: for each element of the result
///    or, of more than 48, for 48 of them from the first to the last. Each gradient holds the
///    weights by which the elements of the operands enter that element of the result.
/// 3. Returns the recorded result with these elements replaced by the weighted sums. An element
///    that is one element of an operand, with weight 1, keeps its bits; a constant, such as a
///    filled value, is taken from the call at zeros.
/// The result is the recorded one unchanged if it or the operands have no element, or the operands
/// more than 4,096. `arguments`: those of ATen's functional form, in its order; `kernel` is called
/// with them. Throws what `kernel` throws; c10::NotImplementedError for a call without
/// floating-point or complex operands, one that is not linear or that require_backward() excludes,
/// an operand without a gradient, and -0, which sums lose.
at::Tensor result_by_backward(std::string_view op, std::vector<c10::IValue> arguments,
                              c10::function_ref<at::Tensor(std::span<const c10::IValue>)> kernel);

/// The call as a Python program makes it, by its functions `in_forward_mode`, `by_double_backward`
/// and `by_backward` (reproduce/python_callers.h).
std::string forward_mode_python(const Plan& plan, std::string_view call);
std::string double_backward_python(const Plan& plan, std::string_view call);
std::string backward_python(const Plan& plan, std::string_view call);

}  // namespace indexfuzz
