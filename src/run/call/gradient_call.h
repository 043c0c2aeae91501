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

/// The result of a call with arguments by ATen's names; throws as gradient() does.
at::Tensor call_operator(const Plan& call, std::span<const NamedArgument> named);

/// Throws c10::NotImplementedError, which says that there is no gradient for `what`, unless it is
/// supported.
void require(bool is_supported, const char* what);

/// The gradient of a call with respect to `x`, which is among its arguments. `grad_of` makes that
/// of the result out of the result, of which it uses the shape alone. A copy: autograd lets a
/// gradient be a view of the one that came in. Throws what the call throws, and what require() does
/// for integers and for an argument that the schema lacks.
at::Tensor gradient(const Plan& call, const at::Tensor& x, NamedArguments named,
                    c10::function_ref<at::Tensor(const at::Tensor&)> grad_of);
/// With a gradient of the result that has as many elements as the result.
at::Tensor gradient(const Plan& call, const at::Tensor& x, NamedArguments named,
                    const at::Tensor& grad);

}  // namespace indexfuzz::gradients
