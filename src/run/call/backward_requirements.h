#pragma once
// Which calls ATen's operators have the gradient of that mathematics defines.

#include <ATen/core/ivalue.h>

#include <span>
#include <string_view>

namespace indexfuzz {

/// For an operator: the calls whose gradient PyTorch documents as not implemented, or as another
/// one than that of mathematics.
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
