#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

#include <optional>
#include <utility>

namespace indexfuzz {

/// The argument with `change(tensor)` for each tensor that it is or holds. What is None stays so.
template <typename Change>
c10::IValue each_tensor(const c10::IValue& argument, const Change& change) {
  if (argument.isTensor()) {
    const at::Tensor tensor = argument.toTensor();
    return tensor.defined() ? change(tensor) : tensor;
  }
  if (argument.isOptionalTensorList()) {
    c10::List<std::optional<at::Tensor>> changed;
    for (const std::optional<at::Tensor>& entry : argument.toOptionalTensorList())
      changed.push_back(entry ? std::optional(change(*entry)) : std::nullopt);
    return changed;
  }
  if (argument.isTensorList()) {
    c10::List<at::Tensor> changed;
    for (const at::Tensor& entry : argument.toTensorVector()) changed.push_back(change(entry));
    return changed;
  }
  return argument;
}

}  // namespace indexfuzz
