// Kernels that replace elements. Their results are right; the gradients of most are not.

#include <ATen/ops/as_strided_scatter.h>
#include <ATen/ops/index_copy.h>
#include <ATen/ops/index_fill.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/slice_scatter.h>
#include <ATen/ops/where.h>

#include "with_gradient.h"

namespace planted {
namespace {

struct SliceScatterFunction : torch::autograd::Function<SliceScatterFunction> {
  static Tensor forward(AutogradContext* context, const Tensor& self, const Tensor& src,
                        int64_t dim, std::optional<int64_t> start, std::optional<int64_t> end,
                        int64_t step) {
    context->saved_data["dim"] = dim;
    context->saved_data["length"] = src.size(dim);
    const at::AutoDispatchBelowAutograd below;
    return at::slice_scatter(self, src, dim, start, end, step);
  }
  static variable_list backward(AutogradContext* context, const variable_list& grads) {
    // The defect: src gets the gradient of the first slices, wherever it was placed. That of self
    // is left out.
    return {
        {},
        grads[0].narrow(context->saved_data["dim"].toInt(), 0, context->saved_data["length"].toInt()),
        {},
        {},
        {},
        {}};
  }
};

Tensor slice_scatter(const Tensor& self, const Tensor& src, int64_t dim,
                     std::optional<int64_t> start, std::optional<int64_t> end, int64_t step) {
  return SliceScatterFunction::apply(self, src, dim, start, end, step);
}

struct AsStridedScatterFunction : torch::autograd::Function<AsStridedScatterFunction> {
  static Tensor forward(AutogradContext* context, const Tensor& self, const Tensor& src,
                        at::IntArrayRef size, at::IntArrayRef stride,
                        std::optional<int64_t> storage_offset) {
    context->saved_data["size"] = size.vec();
    context->saved_data["stride"] = stride.vec();
    context->saved_data["storage_offset"] = storage_offset.value_or(0);
    const at::AutoDispatchBelowAutograd below;
    return at::as_strided_scatter(self, src, size, stride, storage_offset);
  }
  static variable_list backward(AutogradContext* context, const variable_list& grads) {
    const auto size = context->saved_data["size"].toIntVector();
    // The gradient of src is left out.
    return {at::as_strided_scatter(contiguous_copy(grads[0]), at::zeros(size, grads[0].options()),
                                   size, context->saved_data["stride"].toIntVector(),
                                   context->saved_data["storage_offset"].toInt()),
            {},
            {},
            {},
            {}};
  }
};

Tensor as_strided_scatter(const Tensor& self, const Tensor& src, at::IntArrayRef size,
                          at::IntArrayRef stride, std::optional<int64_t> storage_offset) {
  return AsStridedScatterFunction::apply(self, src, size, stride, storage_offset);
}

struct WhereFunction : torch::autograd::Function<WhereFunction> {
  static Tensor forward(AutogradContext* context, const Tensor& condition, const Tensor& self,
                        const Tensor& other) {
    context->save_for_backward({condition});
    const at::AutoDispatchBelowAutograd below;
    return at::where(condition, self, other);
  }
  static variable_list backward(AutogradContext* context, const variable_list& grads) {
    const Tensor condition = context->get_saved_variables().at(0).to(at::kBool);
    const Tensor where_true = at::where(condition, grads[0], at::zeros({}, grads[0].options()));
    // The defect: other has a gradient where self has one.
    return {{}, where_true, where_true};
  }
};

Tensor where(const Tensor& condition, const Tensor& self, const Tensor& other) {
  return WhereFunction::apply(condition, self, other);
}

enum class Copy { kReference, kOfReplaced };

template <Copy kMake>
struct IndexCopyFunction : torch::autograd::Function<IndexCopyFunction<kMake>> {
  static Tensor forward(AutogradContext* context, const Tensor& self, int64_t dim,
                        const Tensor& index, const Tensor& source) {
    keep(context, source, dim, index);
    const at::AutoDispatchBelowAutograd below;
    return at::index_copy(self, dim, index, source);
  }
  static variable_list backward(AutogradContext* context, const variable_list& grads) {
    const Tensor index = context->get_saved_variables().at(0);
    const int64_t dim = context->saved_data["dim"].toInt();
    const auto sizes = context->saved_data["sizes"].toIntVector();
    const Tensor of_source = index.numel() == 0
                                 ? at::zeros(sizes, grads[0].options())
                                 : at::index_select(grads[0], dim, index).reshape(sizes);
    // The defect: what source replaced has a gradient, too.
    if (kMake == Copy::kOfReplaced) return {grads[0], {}, {}, of_source};
    return {at::index_fill(grads[0], dim, index, 0), {}, {}, of_source};
  }
};

template <Copy kMake>
Tensor index_copy(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source) {
  return IndexCopyFunction<kMake>::apply(self, dim, index, source);
}

constexpr char kIndexCopy[] = "(Tensor self, int dim, Tensor index, Tensor source) -> Tensor";

TORCH_LIBRARY_FRAGMENT(planted, m) {
  define_with_gradient(m, "index_copy_gradient_of_replaced", kIndexCopy,
                       index_copy<Copy::kOfReplaced>);
  define_with_gradient(m, "slice_scatter_gradient_in_front",
                       "(Tensor self, Tensor src, int dim=0, int? start=None, int? end=None, "
                       "int step=1) -> Tensor",
                       slice_scatter);
  define_with_gradient(m, "where_gradient_of_other",
                       "(Tensor condition, Tensor self, Tensor other) -> Tensor", where);
}

TORCH_LIBRARY_FRAGMENT(correct, m) {
  define_with_gradient(m, "index_copy_with_gradient", kIndexCopy, index_copy<Copy::kReference>);
  define_with_gradient(
      m, "as_strided_scatter_with_gradient",
      "(Tensor self, Tensor src, int[] size, int[] stride, int? storage_offset=None) -> Tensor",
      as_strided_scatter);
}

}  // namespace
}  // namespace planted
