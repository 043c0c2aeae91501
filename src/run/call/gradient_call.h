#pragma once
// The gradient of one call, with arguments by ATen's names.

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>
#include <c10/util/FunctionRef.h>

#include <initializer_list>
#include <span>
#include <string_view>

#include "run/call/plan.h"

namespace indexfuzz::gradients {

struct NamedArgument {
  std::string_view name;  ///< "self", "dim"
  c10::IValue value;
};
using NamedArguments = std::initializer_list<NamedArgument>;

/// The result of a call with arguments by ATen's names. Throws what the call throws; as require()
/// does for an argument that the schema lacks.
at::Tensor call_operator(const Plan& call, std::span<const NamedArgument> named);

/// Throws c10::NotImplementedError, "the gradient is not implemented for WHAT", unless supported.
void require(bool is_supported, const char* what);

/// The gradient of a call with respect to `x`, one of its arguments. `grad_of(y)`: the gradient to
/// back-propagate from the result y, of which it uses the shape alone. Returns a copy, since
/// autograd may return a view of the gradient that was passed in. Throws what the call throws; as
/// require() does if x holds integers, or for an argument that the schema lacks.
at::Tensor gradient(const Plan& call, const at::Tensor& x, NamedArguments named,
                    c10::function_ref<at::Tensor(const at::Tensor&)> grad_of);
/// With `grad`, in the result's shape, as the gradient to back-propagate.
at::Tensor gradient(const Plan& call, const at::Tensor& x, NamedArguments named,
                    const at::Tensor& grad);

}  // namespace indexfuzz::gradients
