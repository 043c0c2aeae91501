#include "run/call/executor.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>
#include <c10/core/StorageImpl.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <exception>
#include <new>
#include <optional>
#include <utility>

#include "memory/guarded_heap.h"
#include "memory/placement.h"
#include "ops/fills/table.h"
#include "run/call/argument_values.h"
#include "run/call/deterministic_algorithms.h"
#include "run/call/refusal.h"
#include "run/call/scalar_type.h"
#include "run/watch/memory_limit.h"

namespace indexfuzz {
namespace {

void clear(Observation& observation) {
  observation.message.clear();
  observation.result_count = 0;
  observation.result = {};
  observation.written = {};
  observation.shares_earlier_result = false;
}

/// The call is not made: the system gives no address space.
void no_room_for_table(Observation& observation) {
  clear(observation);
  observation.outcome = Outcome::kOutOfMemory;
  observation.message = "no address space for an operand of more than 2^31 elements";
  observation.altered_input = -1;
  observation.canary_bytes = 0;
}

void note_error(Observation& observation, std::string_view message) {
  observation.outcome = outcome_of_error(message);
  observation.message.assign(first_line(message));
  shorten_place(observation.message);
}

/// Whether Python raised this to end the program, not to refuse a call: `except Exception` does not
/// catch it.
bool ends_program(std::string_view message) {
  return message.starts_with("SystemExit") || message.starts_with("KeyboardInterrupt");
}

/// Removes Python's name of PyTorch's ordinary error from the front of a message.
std::string_view without_python_name(std::string_view message) {
  constexpr std::string_view kName = "RuntimeError: ";
  return message.starts_with(kName) ? message.substr(kName.size()) : message;
}

/// Whether an operator says that it has no deterministic algorithm, which the flag demands.
bool lacks_deterministic_algorithm(std::string_view message) {
  return message.find("does not have a deterministic implementation") != std::string_view::npos;
}

/// Of an operand that is a table, describes its last slices alone, as a case does.
void describe_end_of_table(const Placement& placement, int operand, ReturnedTensor& description) {
  const auto k = static_cast<std::size_t>(operand);
  const PlacedOperand& placed = placement.operands[k];
  Dims with_front;
  if (placed.slices_in_front == 0 || description.rank != rank(placement.c.operands[k].shape) ||
      called_sizes(placement, k, with_front) !=
          at::IntArrayRef(description.shape.data(), description.shape.size()))
    return;
  description.shape[0] -= placed.slices_in_front;
  description.data += placed.bytes_in_front;
}

/// The bytes from the first to the last element.
std::pair<const std::byte*, const std::byte*> extent_of(const at::Tensor& tensor) {
  if (tensor.numel() == 0) return {nullptr, nullptr};
  std::int64_t last = 0;
  for (std::int64_t d = 0; d < tensor.dim(); ++d) last += (tensor.size(d) - 1) * tensor.stride(d);
  const auto* const data = static_cast<const std::byte*>(tensor.const_data_ptr());
  return {data, data + (last + 1) * static_cast<std::int64_t>(tensor.itemsize())};
}

}  // namespace

Executor::Executor() {
  stack_.reserve(32);
  list_.reserve(kMaxOperands);
}

/// False if the case has a None or a number that the schema cannot hold, or anything but the
/// default for an argument that the schema lacks.
bool Executor::push_arguments(const Plan& plan, const Placement& placement) {
  for (const LackingArgument& lacking : plan.lacking) {
    if (!has_default(plan, lacking, placement.c, placement.operands)) return false;
  }
  return std::ranges::all_of(plan.arguments, [&](const Argument& argument) {
    return push_argument(plan, argument, placement);
  });
}

bool Executor::push_argument(const Plan& plan, const Argument& argument,
                             const Placement& placement) {
  const Case& c = placement.c;
  switch (argument.source) {
    case Argument::Source::kOperand: stack_.emplace_back(tensors_[argument.slot]); return true;
    case Argument::Source::kOut: stack_.emplace_back(tensors_.back()); return true;
    case Argument::Source::kNothing:
    case Argument::Source::kConstant:
    case Argument::Source::kGiven: stack_.emplace_back(argument.constant); return true;
    case Argument::Source::kScalar:
      return push_if_any(number_argument(argument.as, c.operands[argument.slot].dtype,
                                         placement.operands[argument.slot].logical));
    case Argument::Source::kAttribute: return push_if_any(attribute_value(plan, argument, c));
    case Argument::Source::kZeros:
      stack_.emplace_back(
          at::zeros(argument.zeros.shape,
                    at::TensorOptions(scalar_type(argument.zeros.dtype)).device(placement.device)));
      return true;
    case Argument::Source::kSpareOut: {
      const Dtype dtype = argument.has_dtype_of_self ? c.operands[0].dtype : Dtype::kInt64;
      stack_.emplace_back(
          at::empty({0}, at::TensorOptions(scalar_type(dtype)).device(placement.device)));
      return true;
    }
    case Argument::Source::kAttributeList: {
      const IntegerList list = passed_list(c, {argument.slot, argument.count, argument.times});
      stack_.emplace_back(at::IntArrayRef(list.data(), list.size()));
      return true;
    }
    case Argument::Source::kResultShape: {
      const Dims shape = operator_of(c).result(c).shape;
      stack_.emplace_back(at::IntArrayRef(shape.data(), shape.size()));
      return true;
    }
    case Argument::Source::kOperandList: return push_operand_list(argument, c);
  }
  return true;
}

bool Executor::push_if_any(std::optional<c10::IValue> value) {
  if (!value) return false;
  stack_.push_back(std::move(*value));
  return true;
}

bool Executor::push_operand_list(const Argument& argument, const Case& c) {
  const auto end = static_cast<std::size_t>(input_count(c));
  if (argument.takes_none) {
    for (std::size_t k = argument.slot; k < end; ++k) {
      list_.push_back(tensors_[k].defined() ? std::optional<at::Tensor>(tensors_[k])
                                            : std::nullopt);
    }
    stack_.emplace_back(list_);
    return true;
  }
  c10::List<at::Tensor> dense;
  for (std::size_t k = argument.slot; k < end; ++k) {
    if (!tensors_[k].defined()) return false;
    dense.push_back(tensors_[k]);
  }
  stack_.emplace_back(std::move(dense));
  return true;
}

void Executor::call(const Plan& plan, Observation& observation) {
  try {
    if (plan.below_autograd) {
      const c10::impl::ExcludeDispatchKeyGuard below(
          c10::autograd_dispatch_keyset_with_ADInplaceOrView);
      plan.handle->callBoxed(stack_);
    } else {
      plan.handle->callBoxed(stack_);
    }
    observation.outcome = Outcome::kReturned;
  } catch (const c10::Error& error) {
    note_error(observation, error.what_without_backtrace());
  } catch (const std::bad_alloc&) {
    observation.outcome = Outcome::kOutOfMemory;
    observation.message = "ran out of memory (std::bad_alloc)";
  } catch (const std::exception& error) {
    note_error(observation, without_python_name(error.what()));
    if (ends_program(observation.message)) observation.outcome = Outcome::kForeign;
  } catch (...) {
    observation.outcome = Outcome::kForeign;
    observation.message = "threw something that is not a std::exception";
  }
}

void Executor::describe(const at::Tensor& tensor, const Placement& placement,
                        ReturnedTensor& description) const {
  description = {};
  if (!tensor.defined()) return;
  description.defined = true;
  for (int k = 0; k < tensors_.count(); ++k) {
    if (tensors_[static_cast<std::size_t>(k)].is_same(tensor)) description.same_as_operand = k;
  }
  description.requires_grad = tensor.requires_grad();
  description.is_inference = tensor.is_inference();
  const std::optional<Dtype> dtype = dtype_of(tensor.scalar_type());
  description.dtype_known = dtype.has_value();
  if (dtype) description.dtype = *dtype;
  // A nested tensor has no one size, a sparse one no memory of its own that could be read.
  description.on_device = tensor.device() == placement.device && !tensor.is_nested() &&
                          tensor.layout() == c10::kStrided && tensor.has_storage();
  if (tensor.is_nested()) return;
  const at::IntArrayRef sizes = tensor.sizes();
  description.rank = static_cast<int>(sizes.size());
  const std::size_t kept = std::min(sizes.size(), static_cast<std::size_t>(kMaxDims));
  description.shape.assign(sizes.begin(), sizes.begin() + kept);
  if (!description.on_device) return;
  const at::IntArrayRef strides = tensor.strides();
  description.strides.assign(strides.begin(), strides.begin() + kept);
  const c10::StorageImpl& storage = *tensor.storage().unsafeGetStorageImpl();
  description.storage = static_cast<const std::byte*>(storage.data());
  description.storage_bytes = static_cast<std::int64_t>(storage.nbytes());
  description.data =
      description.storage + tensor.storage_offset() * static_cast<std::int64_t>(tensor.itemsize());
  if (description.same_as_operand >= 0)
    describe_end_of_table(placement, description.same_as_operand, description);
}

/// The caller goes on using its inputs, also after an error; after an error, self of an in-place
/// form counts as an input too.
int Executor::altered_input(const Placement& placement, Outcome outcome) const {
  const Case& c = placement.c;
  const bool may_alter = outcome == Outcome::kReturned || c.variant == Variant::kOut;
  const int written = may_alter ? written_operand(c) : -1;
  for (int k = 0; k < tensors_.count(); ++k) {
    const at::Tensor& tensor = tensors_[static_cast<std::size_t>(k)];
    if (k == written || !tensor.defined()) continue;
    Dims with_front;
    const PlacedOperand& placed = placement.operands[static_cast<std::size_t>(k)];
    const Dims& strides = placed.view.strides;
    const bool same =
        tensor.sizes() == called_sizes(placement, static_cast<std::size_t>(k), with_front) &&
        tensor.strides() == at::IntArrayRef(strides.data(), strides.size()) &&
        tensor.scalar_type() == scalar_type(operand_at(c, k).dtype) &&
        (placed.count == 0 || tensor.const_data_ptr() == called_data(placed)) &&
        !tensor.is_conj() && !tensor.is_neg() && !tensor.requires_grad();
    if (!same) return k;
  }
  return -1;
}

bool Executor::shares_earlier_result(const ReturnedTensor& result) const {
  if (next_earlier_ == 0 || result.data == nullptr || !stack_.front().isTensor()) return false;
  const auto [begin, end] = extent_of(stack_.front().toTensor());
  return std::any_of(earlier_results_.begin(), earlier_results_.end(), [&](const at::Tensor& held) {
    if (!held.defined()) return false;
    const auto [held_begin, held_end] = extent_of(held);
    return begin < held_end && held_begin < end;
  });
}

bool Executor::set_up(const Plan& plan, const Placement& placement) {
  release();
  tensors_.wrap(placement);
  return push_arguments(plan, placement);
}

void Executor::run(const Plan& plan, const Placement& placement, Observation& observation) {
  clear(observation);
  if (set_up(plan, placement)) {
    const bool deterministic = placement.c.gpu.deterministic;
    const DeterministicAlgorithms algorithms(deterministic);
    call(plan, observation);
    if (deterministic && observation.outcome == Outcome::kRefused &&
        lacks_deterministic_algorithm(observation.message))
      observation.outcome = Outcome::kUnsupported;
  } else {
    observation.outcome = Outcome::kUnsupported;
    observation.message = "an argument that the schema lacks or cannot hold";
  }
  if (observation.outcome == Outcome::kReturned) {
    if (plan.judged && *plan.judged < stack_.size()) {
      std::swap(stack_.front(), stack_[*plan.judged]);
      stack_.resize(1);
    }
    observation.result_count = static_cast<int>(stack_.size());
    if (!stack_.empty() && stack_.front().isTensor()) {
      // Conjugation and negation may be lazy: the elements that count are those that they stand
      // for.
      if (const at::Tensor lazy = stack_.front().toTensor(); lazy.is_conj() || lazy.is_neg())
        stack_.front() = lazy.resolve_conj().resolve_neg();
      describe(stack_.front().toTensor(), placement, observation.result);
      observation.shares_earlier_result = shares_earlier_result(observation.result);
    }
  }
  observation.altered_input = altered_input(placement, observation.outcome);
  const int written = written_operand(placement.c);
  if (written >= 0) {
    describe(tensors_[static_cast<std::size_t>(written)], placement, observation.written);
  }
}

void Executor::run(const Plan& plan, Arena& arena, Observation& observation) {
  const Case& c = arena.current();
  GuardedHeap::instance().set_flush_left(heap_flush_left(c));
  Placement placement = placement_in(arena);
  placement.operands = arena.lay_apart();
  if (placement.operands.empty()) {
    no_room_for_table(observation);
    return;
  }
  {
    constexpr std::int64_t kMostForTable = std::int64_t{4} << 30;
    std::optional<LoweredMemoryLimit> limit;
    if (has_table(c)) limit.emplace(kMostForTable);
    run(plan, placement, observation);
  }
  GuardedHeap& heap = GuardedHeap::instance();
  heap.check_live();
  GuardedHeap::Damage damage = heap.take_damage();
  observation.canary_bytes = damage.bytes;
  if (damage.bytes != 0 || !observation.canary_note.empty())
    observation.canary_note = std::move(damage.note);
  arena.bring_back(observation);
}

at::Tensor Executor::result() const {
  return !stack_.empty() && stack_.front().isTensor() ? stack_.front().toTensor() : at::Tensor();
}

at::Tensor Executor::written(const Case& c) const {
  const int operand = written_operand(c);
  return operand < 0 ? at::Tensor() : tensors_[static_cast<std::size_t>(operand)];
}

void Executor::keep_result(const Case& c) {
  const at::Tensor last = result();
  if (written_operand(c) >= 0 || !last.defined() || !last.has_storage()) return;
  earlier_results_[next_earlier_++ % earlier_results_.size()] = last;
}

void Executor::forget_results() {
  for (at::Tensor& result : earlier_results_) result.reset();
}

void Executor::release() {
  stack_.clear();
  if (list_.use_count() == 1) {
    list_.clear();
  } else {  // an operator kept it
    list_ = c10::List<std::optional<at::Tensor>>();
  }
  tensors_.release();
}

}  // namespace indexfuzz
