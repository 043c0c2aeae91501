#pragma once
// One call of one implementation on the case in an arena.

#include <ATen/core/List.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/stack.h>

#include <array>
#include <optional>

#include "memory/arena.h"
#include "memory/observation.h"
#include "run/plan.h"

namespace indexfuzz {

/// Owns the tensors of the last call, so that the judge can read what came back. Allocates nothing
/// of its own on a call that returns.
class Executor {
 public:
  Executor();

  /// Wraps the arena's operands into fresh tensors, calls the plan's operator boxed, and writes
  /// what came back. Nothing that the operator throws leaves it. What the observation points to
  /// lives until `release()` or the next run.
  void run(const Plan& plan, const Arena& arena, Observation& observation);

  /// The two halves of `run` that a benchmark times apart: tensors and stack, without a call; the
  /// boxed call alone. False where the case has a None or a number that the
  /// schema cannot hold.
  bool set_up(const Plan& plan, const Arena& arena);
  void call(const Plan& plan, Observation& observation);

  /// Frees the results and the operands' tensors of the last call. Damage that shows only now is
  /// found by the next run or GuardedHeap::take_damage().
  void release();

 private:
  const c10::Storage& storage_of(const Arena& arena, int operand);
  void wrap(const Arena& arena);
  bool push_arguments(const Plan& plan, const Arena& arena);
  void describe(const at::Tensor& tensor, ReturnedTensor& description) const;

  torch::jit::Stack stack_;
  std::array<c10::Storage, kMaxOperands> storages_;
  std::array<at::Tensor, kMaxOperands> tensors_;
  int count_ = 0;
  c10::List<std::optional<at::Tensor>> list_;
};

}  // namespace indexfuzz
