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

/// Replaces the operator's arguments at the end of the stack by its results, computed on "meta":
/// 1. Calls the operator with a tensor on "meta" of the same sizes, strides and dtype for each
///    tensor.
/// 2. If the operator returns one fresh tensor, calls it with data, too. If both results have the
///    same sizes but other strides, throws c10::Error with kOtherStrides: the documentation of
///    register_fake promises the strides.
/// 3. Gives the results data: an argument that was returned is the argument itself, resized if the
///    call resized it; a fresh result is contiguous zeros. A result that is not on "meta" is moved
///    there, so that the judge finds it on the wrong device.
/// Throws what the call on "meta" throws, but c10::NotImplementedError if its message says that the
/// call needs data or has no meta function.
void call_on_meta(const c10::OperatorHandle& op, torch::jit::Stack& stack);

/// The plan's call, a template as in Form::python, made by the program's function `on_meta`
/// (reproduce/python_callers.h).
std::string meta_python(const Plan& plan, std::string_view call);

}  // namespace indexfuzz
