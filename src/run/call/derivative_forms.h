#pragma once
// Operators computed by their own derivatives. One that only moves, replaces and adds elements is
// linear: its derivative in the direction of its operands is the call of these operands. Needs no
// rule for an operator, other than gradients (gradients.h).

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

/// Calls ATen's operator, whose arguments are at the end of the stack, in forward mode: at zeros,
/// with the operands as tangents. Throws what the call throws, and c10::NotImplementedError for
/// calls that have no operand of such numbers or are not linear. Of an in-place call the result is
/// written into the first operand as well.
void call_in_forward_mode(const c10::OperatorHandle& op, torch::jit::Stack& stack);

/// The same, by the gradient of the gradient: that of a linear call is linear, and its gradient is
/// the call again.
void call_by_double_backward(const c10::OperatorHandle& op, torch::jit::Stack& stack);

/// What a kernel that computes an operator returns, by the gradient of each element of its result,
/// which says of which elements of the operands it is the sum; of large results some elements are
/// computed so. The others, and all if they are not what the kernel returns otherwise, are those
/// that it returns while gradients are recorded. `arguments`: those of ATen's functional form, in
/// its order, which `call` calls the kernel with.
at::Tensor result_by_backward(std::string_view op, std::vector<c10::IValue> arguments,
                              c10::function_ref<at::Tensor(std::span<const c10::IValue>)> call);

/// The call as a Python program makes it, by `in_forward_mode`, `by_double_backward` and
/// `by_backward`.
std::string forward_mode_python(const Plan& plan, std::string_view call);
std::string double_backward_python(const Plan& plan, std::string_view call);
std::string backward_python(const Plan& plan, std::string_view call);

}  // namespace indexfuzz
