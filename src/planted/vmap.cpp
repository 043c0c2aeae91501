// Kernels whose results are right, and whose batching rules, by which torch.func.vmap computes
// them, are not.

#include <ATen/functorch/BatchedTensorImpl.h>
#include <ATen/functorch/DynamicLayer.h>
#include <ATen/ops/flip.h>
#include <ATen/ops/gather.h>
#include <c10/core/WrapDimMinimal.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

#include "strided.h"

namespace planted {
namespace {

namespace functorch = at::functorch;

/// An argument as the current vmap sees it, with its batch dimension, if any, in front.
struct Argument {
  Tensor tensor;
  bool has_batch = false;
};

Argument argument_of(const Tensor& tensor, int64_t level) {
  const auto* const batched = functorch::maybeGetBatchedImpl(tensor);
  if (batched == nullptr || batched->level() != level) return {tensor, false};
  return {batched->value().movedim(batched->bdim(), 0), true};
}

/// The argument with a batch dimension in any case.
Tensor with_batch(const Argument& argument, int64_t size) {
  if (argument.has_batch) return argument.tensor;
  auto shape = argument.tensor.sizes().vec();
  shape.insert(shape.begin(), size);
  return argument.tensor.unsqueeze(0).expand(shape);
}

Tensor gather(const Tensor& self, int64_t dim, const Tensor& index) {
  return at::gather(self, dim, index);
}

enum class Make {
  kReference,
  kDimNotShifted,
  kBatchInFront,
  kFirstIndexForAll,
  kLastSelfForAll,
  kReversedBeyondTwo,
};

template <Make kMake>
Tensor gather_batched(const Tensor& self, int64_t dim, const Tensor& index) {
  const auto layer = functorch::maybeCurrentDynamicLayer();
  const int64_t level = layer->layerId(), size = layer->batchSize().expect_int();
  // The rule's own calls are for the whole batch.
  const c10::impl::ExcludeDispatchKeyGuard below(c10::DispatchKey::FuncTorchBatched);
  Argument from = argument_of(self, level), at = argument_of(index, level);
  if (kMake == Make::kBatchInFront && from.has_batch)
    from.tensor = functorch::maybeGetBatchedImpl(self)->value();
  if (kMake == Make::kFirstIndexForAll && at.has_batch) at = {at.tensor.select(0, 0), false};
  if (kMake == Make::kLastSelfForAll && from.has_batch)
    from = {from.tensor.select(0, size - 1), false};
  // The defect: the indices of more than two are taken in reverse order.
  if (kMake == Make::kReversedBeyondTwo && at.has_batch && size > 2) at.tensor = at.tensor.flip(0);
  Tensor whole = with_batch(from, size), places = with_batch(at, size);
  const bool is_scalar = places.dim() == 1;
  if (whole.dim() == 1) whole = whole.unsqueeze(1);
  if (is_scalar) places = places.unsqueeze(1);
  const bool is_shifted = kMake != Make::kDimNotShifted || dim < 0;
  const int64_t along = is_shifted ? c10::maybe_wrap_dim(dim, whole.dim() - 1) + 1 : dim;
  const Tensor result = at::gather(whole, along, places.contiguous());
  return functorch::makeBatched(is_scalar ? result.squeeze(1) : result, 0, level);
}

/// Registers a kernel that calls ATen's own, and its batching rule.
template <class Kernel>
void define_with_rule(torch::Library& library, const char* name, Kernel* rule) {
  define(library, name, "(Tensor self, int dim, Tensor index) -> Tensor", gather);
  library.impl(name, torch::dispatch(c10::DispatchKey::FuncTorchBatched, rule));
}

TORCH_LIBRARY_FRAGMENT(planted, m) {
  define_with_rule(m, "gather_vmap_dim_not_shifted", gather_batched<Make::kDimNotShifted>);
  define_with_rule(m, "gather_vmap_batch_in_front", gather_batched<Make::kBatchInFront>);
  define_with_rule(m, "gather_vmap_first_index_for_all", gather_batched<Make::kFirstIndexForAll>);
  define_with_rule(m, "gather_vmap_last_self_for_all", gather_batched<Make::kLastSelfForAll>);
  define_with_rule(m, "gather_vmap_reversed_beyond_two", gather_batched<Make::kReversedBeyondTwo>);
}

TORCH_LIBRARY_FRAGMENT(correct, m) {
  define_with_rule(m, "gather_with_rule", gather_batched<Make::kReference>);
}

}  // namespace
}  // namespace planted
