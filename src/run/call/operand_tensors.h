#pragma once
// The operands of one call as tensors.

#include <ATen/core/Tensor.h>

#include <array>

#include "case/case.h"
#include "run/call/call_placement.h"

namespace indexfuzz {

/// Owns a tensor over the memory of each operand.
class OperandTensors {
 public:
  /// Of all operands but numbers and those that are not present.
  void wrap(const Placement& placement);
  int count() const { return count_; }
  /// Undefined where the operand has none.
  const at::Tensor& operator[](std::size_t operand) const { return tensors_[operand]; }
  const at::Tensor& back() const { return tensors_[static_cast<std::size_t>(count_ - 1)]; }

  enum class Next : bool { kFresh, kKept };
  /// Lets go of them. Of tensors that nobody else holds, and that are as they were made, some are
  /// kept and put over the operands of the next call: what a call did to a tensor it may meet again
  /// in the next one, so that this is for callees that are known to leave them alone.
  void release(Next next);

 private:
  at::Tensor in_own_storage(const Placement& placement, int operand);
  at::Tensor take_kept(const Placement& placement, int operand);

  std::array<at::Tensor, kMaxOperands> tensors_;
  std::array<at::Tensor, kMaxOperands> kept_;
  int count_ = 0;
};

}  // namespace indexfuzz
