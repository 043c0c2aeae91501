#include "run/call/vmap.h"

#include <ATen/core/function_schema.h>
#include <ATen/functorch/BatchedTensorImpl.h>
#include <ATen/functorch/DynamicLayer.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/zeros_like.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "run/call/call_text.h"
#include "run/call/each_tensor.h"

namespace indexfuzz {
namespace {

constexpr std::int64_t kLargest = 1 << 20;

/// While it lives, calls with batched tensors are made for the whole batch.
class VmapLayer {
 public:
  explicit VmapLayer(std::int64_t batch)
      : level_(at::functorch::initAndPushDynamicLayer(at::functorch::TransformType::Vmap,
                                                      c10::SymInt(batch),
                                                      at::functorch::RandomnessType::Error)) {}
  VmapLayer(const VmapLayer&) = delete;
  VmapLayer& operator=(const VmapLayer&) = delete;
  ~VmapLayer() { at::functorch::popDynamicLayerAndDeleteMetadata(); }

  std::int64_t level() const { return level_; }

 private:
  std::int64_t level_;
};

/// Which of the arguments that are tensors, or lists of them, have a batch dimension, and where: 0,
/// or -1 for the last.
struct Batched {
  std::optional<std::int64_t> first, others;
  std::int64_t batch;  ///< its size, 2 or 3
  std::int64_t place;  ///< of the call that is under test: the first or the last of the batch
};

/// Each kind has small cases, and `under_vmap` of the programs decides by the same rule. What is
/// written must have a batch dimension.
Batched batched_by(const at::Tensor& first, bool has_others, bool in_place) {
  const std::int64_t elements = first.numel();
  const std::int64_t batch = 2 + elements / 6 % 2;
  const std::int64_t place = elements / 3 % 2 == 0 ? batch - 1 : 0;
  const std::int64_t last = first.dim() > 2 ? -1 : 0;
  if (!has_others) return {last, std::nullopt, batch, place};
  switch (elements % 3) {
    case 0: return {in_place ? std::optional<std::int64_t>(0) : std::nullopt, last, batch, place};
    case 1: return {0, last, batch, place};
    default: return {-1 - last, std::nullopt, batch, place};
  }
}

/// The first tensor in the argument; undefined if it holds none.
at::Tensor first_tensor(const c10::IValue& argument) {
  at::Tensor first;
  each_tensor(argument, [&](const at::Tensor& tensor) {
    if (!first.defined()) first = tensor;
    return tensor;
  });
  return first;
}

/// Whether the argument is or holds a number so large that a batching rule, which may make a tensor
/// with as many elements, takes all memory.
bool is_large(const c10::IValue& argument) {
  const auto is_large_number = [](std::int64_t n) { return n < -kLargest || n > kLargest; };
  if (argument.isInt()) return is_large_number(argument.toInt());
  return argument.isIntList() && std::ranges::any_of(argument.toIntVector(), is_large_number);
}

/// Other elements that are as legal, so that a result made of them is seen. A single position may
/// be the only legal one.
at::Tensor other_of_batch(const at::Tensor& tensor) {
  if (tensor.numel() == 1)
    return at::isIntegralType(tensor.scalar_type(), false) ? tensor : at::zeros_like(tensor);
  std::vector<std::int64_t> dims(static_cast<std::size_t>(tensor.dim()));
  std::iota(dims.begin(), dims.end(), 0);
  return tensor.flip(dims);
}

at::Tensor in_batch(const at::Tensor& tensor, std::int64_t dim, const Batched& batched) {
  std::vector<at::Tensor> batch(static_cast<std::size_t>(batched.batch), other_of_batch(tensor));
  batch[static_cast<std::size_t>(batched.place)] = tensor;
  return at::stack(batch, dim);
}

/// A copy: what a result shares with the rest of the batch does not matter.
at::Tensor of_batch(const at::Tensor& result, std::int64_t place) {
  const auto* const batched = at::functorch::maybeGetBatchedImpl(result);
  return batched == nullptr ? result.clone()
                            : batched->value().select(batched->bdim(), place).clone();
}

/// Whether vmap says that it cannot batch a call, such as one whose result has a size that depends
/// on values.
bool cannot_batch(std::string_view message) {
  return std::ranges::any_of(
      std::array<std::string_view, 3>{"vmap", "Batching rule not implemented",
                                      "does not yet have a batching rule"},
      [&](std::string_view words) { return message.find(words) != std::string_view::npos; });
}

}  // namespace

void call_under_vmap(const c10::OperatorHandle& op, torch::jit::Stack& stack) {
  const auto arguments = std::span(stack).last(op.schema().arguments().size());
  const bool in_place = op.schema().is_mutable({c10::SchemaArgType::input, 0});
  const c10::IValue first = arguments[0];
  std::vector<std::size_t> with_tensors;
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    if (first_tensor(arguments[k]).defined()) with_tensors.push_back(k);
  }
  TORCH_CHECK_NOT_IMPLEMENTED(!with_tensors.empty(), "not implemented for a batch of no tensor");
  TORCH_CHECK_NOT_IMPLEMENTED(std::ranges::none_of(arguments, is_large),
                              "not implemented for batches with such numbers");
  TORCH_CHECK_NOT_IMPLEMENTED(
      std::ranges::none_of(
          with_tensors,
          [&](std::size_t k) { return op.schema().arguments()[k].name() == "offsets"; }),
      "not implemented for batches of offsets, which are illegal in another order");
  const Batched batched =
      batched_by(first_tensor(arguments[with_tensors[0]]), with_tensors.size() > 1, in_place);
  const auto dim_of = [&](std::size_t k) {
    return k == with_tensors[0] ? batched.first : batched.others;
  };
  for (const std::size_t k : with_tensors) {
    if (!dim_of(k)) continue;
    arguments[k] = each_tensor(arguments[k], [&](const at::Tensor& tensor) {
      return in_batch(tensor, *dim_of(k), batched);
    });
  }
  try {
    const VmapLayer layer(batched.batch);
    for (const std::size_t k : with_tensors) {
      if (!dim_of(k)) continue;
      arguments[k] = each_tensor(arguments[k], [&](const at::Tensor& tensor) {
        return at::functorch::addBatchDim(tensor, *dim_of(k) < 0 ? tensor.dim() - 1 : *dim_of(k),
                                          layer.level());
      });
    }
    op.callBoxed(stack);
  } catch (const c10::Error& error) {
    TORCH_CHECK_NOT_IMPLEMENTED(!cannot_batch(error.what_without_backtrace()),
                                "not implemented for batches: ", error.what_without_backtrace());
    throw;
  }
  for (c10::IValue& result : std::span(stack).last(op.schema().returns().size()))
    result = each_tensor(result,
                         [&](const at::Tensor& tensor) { return of_batch(tensor, batched.place); });
  if (in_place) stack.back() = first.toTensor().copy_(stack.back().toTensor());
}

std::string vmap_python(const Plan& plan, std::string_view call) {
  return called_or_written_by("under_vmap", plan, call);
}

}  // namespace indexfuzz
