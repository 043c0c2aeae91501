#pragma once
// A call as torch.func.vmap makes it for a batch: the result for each of the batch must be that of
// a call of its own (documentation of torch.func.vmap).

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

#include <string>
#include <string_view>

#include "run/call/plan.h"

namespace indexfuzz {

/// Calls the operator, with its arguments at the end of the stack, for a batch of two, and returns
/// the result for the second. The first has the same operands, flipped. Depending on how many
/// elements the first tensor has, all tensors have a batch dimension, or it alone, or the others if
/// there are any. Throws what the call throws; c10::NotImplementedError for what vmap cannot batch,
/// and for numbers beyond 2^20.
void call_under_vmap(const c10::OperatorHandle& op, torch::jit::Stack& stack);

/// The plan's functional call, a template as in Form::python, made in this way; by the function
/// `under_vmap`, which the programs define (reproduce/python_parts.h).
std::string vmap_python(const Plan& plan, std::string_view call);

}  // namespace indexfuzz
