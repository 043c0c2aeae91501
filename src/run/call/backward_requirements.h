#pragma once
// Which calls ATen's operators have the gradient of that mathematics defines.

#include <ATen/core/ivalue.h>

#include <span>
#include <string_view>

namespace indexfuzz {

/// What PyTorch documents of an operator that its gradient is not implemented for, or is another's.
struct BackwardRequirement {
  std::string_view op;
  /// Throws c10::NotImplementedError for such a call. `arguments`: those of ATen's functional form,
  /// in its order.
  void (*require)(std::span<const c10::IValue> arguments);
};
/// One for each operator that has such calls.
std::span<const BackwardRequirement> backward_requirements();

/// Throws as the operator's requirement does, if it has one.
void require_backward(std::string_view op, std::span<const c10::IValue> arguments);

}  // namespace indexfuzz
