#pragma once
// One call of one implementation on the case in an arena.

#include <ATen/core/List.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/stack.h>

#include <array>
#include <optional>

#include "memory/observation.h"
#include "run/call/call_placement.h"
#include "run/call/operand_tensors.h"
#include "run/call/plan.h"

namespace indexfuzz {

/// Owns the tensors of the last call, so that the judge can read what came back. Apart from tensors
/// and lists of them, a call that returns allocates nothing here.
class Executor {
 public:
  Executor();

  /// Wraps the operands into fresh tensors, calls the plan's operator boxed, and writes what came
  /// back. Catches everything that the operator throws. What the observation points to lives until
  /// `release()` or the next run.
  void run(const Plan& plan, const Placement& placement, Observation& observation);
  /// As above, for the case in the arena; also checks the canaries of the kernel's own allocations.
  void run(const Plan& plan, Arena& arena, Observation& observation);

  /// The two halves of run(), for a benchmark that times them separately: set_up() makes the
  /// tensors and the stack, call() makes the boxed call. set_up() returns false if the case has a
  /// None or a number that the schema cannot take, or a value for an argument that it lacks.
  bool set_up(const Plan& plan, const Placement& placement);
  void call(const Plan& plan, Observation& observation);

  /// The last call's result, and the operand that it wrote; undefined if there is none. They own
  /// the memory that the observation points to: hold them to keep it valid after release().
  at::Tensor result() const;
  at::Tensor written(const Case& c) const;

  /// Keeps the last call's result, if it is a fresh one, alive during the next calls, as a caller
  /// would: `run` then notices a later result in the same memory. Holds the latest four.
  void keep_result(const Case& c);
  /// Drops all results that are held.
  void forget_results();

  /// Frees the results and the operands' tensors of the last call. Damage that shows only when
  /// memory is freed is found by the next run or GuardedHeap::take_damage().
  void release();

 private:
  // These return false for what the schema cannot hold or lacks.
  bool push_arguments(const Plan& plan, const Placement& placement);
  bool push_argument(const Plan& plan, const Argument& argument, const Placement& placement);
  bool push_operand_list(const Argument& argument, const Case& c);
  bool push_if_any(std::optional<c10::IValue> value);
  int altered_input(const Placement& placement, Outcome outcome) const;
  bool shares_earlier_result(const ReturnedTensor& result) const;
  void describe(const at::Tensor& tensor, const Placement& placement,
                ReturnedTensor& description) const;

  torch::jit::Stack stack_;
  OperandTensors tensors_;
  c10::List<std::optional<at::Tensor>> list_;
  std::array<at::Tensor, 4> earlier_results_;
  std::size_t next_earlier_ = 0;
};

}  // namespace indexfuzz
