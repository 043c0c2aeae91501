#pragma once
// A call on the device "meta", whose tensors have sizes, strides and a dtype but no data: the
// shape, the dtype and the strides of its result must be those of the same call with data
// (PyTorch's documentation of register_fake).

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

#include <string>
#include <string_view>

#include "run/call/plan.h"

namespace indexfuzz {

/// Calls the operator, with its arguments at the end of the stack, with tensors on "meta" in place
/// of these, and returns tensors with data: the arguments that it returned, resized as it resized
/// them, and zeros in place of a fresh result; one on "meta" in place of a result that is not on
/// it. Throws what the call throws; c10::NotImplementedError for what depends on data; and
/// kOtherStrides if a fresh result has other strides than that of the call with data: those are
/// promised, too (PyTorch's documentation of register_fake).
void call_on_meta(const c10::OperatorHandle& op, torch::jit::Stack& stack);

/// The plan's call, a template as in Form::python, made in this way; by the function `on_meta`,
/// which the programs define (reproduce/python_parts.h).
std::string meta_python(const Plan& plan, std::string_view call);

}  // namespace indexfuzz
