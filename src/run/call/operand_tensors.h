#pragma once
// The operands of one call as tensors.

#include <ATen/core/Tensor.h>

#include <array>

#include "case/case.h"
#include "run/call/call_placement.h"

namespace indexfuzz {

/// An operand's sizes as a call sees them; stored in `with_front` if they are not those of the
/// case, as for the last slices of a table.
at::IntArrayRef called_sizes(const Placement& placement, std::size_t operand, Dims& with_front);

/// Owns one tensor over the memory of each operand.
class OperandTensors {
 public:
  /// Makes tensors of all operands except numbers and absent ones.
  void wrap(const Placement& placement);
  int count() const { return count_; }
  /// Undefined if the operand has none.
  const at::Tensor& operator[](std::size_t operand) const { return tensors_[operand]; }
  const at::Tensor& back() const { return tensors_[static_cast<std::size_t>(count_ - 1)]; }

  /// Drops the tensors.
  void release();

 private:
  std::array<at::Tensor, kMaxOperands> tensors_;
  int count_ = 0;
};

}  // namespace indexfuzz
