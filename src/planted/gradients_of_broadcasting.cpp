// Kernels that broadcast operands, and one that computes otherwise while its gradient is recorded.
// Their results are right otherwise; the gradients of most are not.

#include <ATen/TensorOperators.h>
#include <ATen/ops/index.h>
#include <ATen/ops/index_put.h>
#include <ATen/ops/take.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros_like.h>

#include "with_gradient.h"

namespace planted {
namespace {

enum class Sum { kReference, kFirst };

/// The gradient of an operand of this shape that was broadcast.
template <Sum kMake>
Tensor summed(const Tensor& grad, at::IntArrayRef shape) {
  if (kMake == Sum::kReference || grad.numel() == 0) return grad.sum_to_size(shape);
  // The defect: of the elements that one became only the first has a gradient.
  Tensor part = grad;
  while (part.dim() > static_cast<int64_t>(shape.size())) part = part.select(0, 0);
  for (int64_t d = 0; d < part.dim(); ++d) part = part.narrow(d, 0, shape[d]);
  return contiguous_copy(part);
}

template <Sum kMake>
struct BroadcastWhereFunction : torch::autograd::Function<BroadcastWhereFunction<kMake>> {
  static Tensor forward(AutogradContext* context, const Tensor& condition, const Tensor& self,
                        const Tensor& other) {
    context->save_for_backward({condition});
    context->saved_data["self"] = self.sizes().vec();
    context->saved_data["other"] = other.sizes().vec();
    const at::AutoDispatchBelowAutograd below;
    return at::where(condition, self, other);
  }
  static variable_list backward(AutogradContext* context, const variable_list& grads) {
    const Tensor condition = context->get_saved_variables().at(0).to(at::kBool),
                 none = at::zeros({}, grads[0].options());
    return {{},
            summed<kMake>(at::where(condition, grads[0], none),
                          context->saved_data["self"].toIntVector()),
            summed<kMake>(at::where(condition, none, grads[0]),
                          context->saved_data["other"].toIntVector())};
  }
};

template <Sum kMake>
Tensor where(const Tensor& condition, const Tensor& self, const Tensor& other) {
  TORCH_CHECK(self.scalar_type() == other.scalar_type(), "self and other must be of one dtype");
  return BroadcastWhereFunction<kMake>::apply(condition, self, other);
}

template <Sum kMake>
struct IndexPutFunction : torch::autograd::Function<IndexPutFunction<kMake>> {
  static Tensor forward(AutogradContext* context, const Tensor& self,
                        const c10::List<std::optional<Tensor>>& indices, const Tensor& values) {
    context->saved_data["indices"] = indices;
    context->saved_data["values"] = values.sizes().vec();
    const at::AutoDispatchBelowAutograd below;
    return at::index_put(self, indices, values, true);
  }
  static variable_list backward(AutogradContext* context, const variable_list& grads) {
    const auto indices =
        context->saved_data["indices"].template to<c10::List<std::optional<Tensor>>>();
    return {
        grads[0],
        {},
        summed<kMake>(at::index(grads[0], indices), context->saved_data["values"].toIntVector())};
  }
};

template <Sum kMake>
Tensor index_put(const Tensor& self, const c10::List<std::optional<Tensor>>& indices,
                 const Tensor& values, bool accumulate) {
  TORCH_CHECK(accumulate, "accumulate=False is left out");
  return IndexPutFunction<kMake>::apply(self, indices, values);
}

/// The defect: while its gradient is recorded, negative indices count from the end but one.
Tensor take_recorded(const Tensor& self, const Tensor& index) {
  const bool recorded = at::GradMode::is_enabled() && self.requires_grad();
  return at::take(self, recorded ? at::where(index < -1, index + 1, index) : index);
}

constexpr char kWhere[] = "(Tensor condition, Tensor self, Tensor other) -> Tensor";
constexpr char kIndexPut[] =
    "(Tensor self, Tensor?[] indices, Tensor values, bool accumulate=False) -> Tensor";

TORCH_LIBRARY_FRAGMENT(planted, m) {
  define_with_gradient(m, "where_gradient_of_first", kWhere, where<Sum::kFirst>);
  define_with_gradient(m, "index_put_gradient_of_first", kIndexPut, index_put<Sum::kFirst>);
  m.def("take_recorded(Tensor self, Tensor index) -> Tensor", take_recorded);
}

TORCH_LIBRARY_FRAGMENT(correct, m) {
  define_with_gradient(m, "where_with_gradient", kWhere, where<Sum::kReference>);
  define_with_gradient(m, "index_put_with_gradient", kIndexPut, index_put<Sum::kReference>);
}

}  // namespace
}  // namespace planted
