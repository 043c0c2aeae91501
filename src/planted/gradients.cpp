// Kernels whose results are right; the gradients of most are not.

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/as_strided_scatter.h>
#include <ATen/ops/embedding.h>
#include <ATen/ops/embedding_dense_backward.h>
#include <ATen/ops/flip.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/gather.h>
#include <ATen/ops/index_add.h>
#include <ATen/ops/index_copy.h>
#include <ATen/ops/index_fill.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/put.h>
#include <ATen/ops/scatter.h>
#include <ATen/ops/scatter_add.h>
#include <ATen/ops/slice_scatter.h>
#include <ATen/ops/take.h>
#include <ATen/ops/take_along_dim.h>
#include <ATen/ops/tril.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>
#include <torch/csrc/autograd/custom_function.h>

#include "strided.h"

namespace planted {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// Keeps what the gradient of a selection needs.
void keep(AutogradContext* context, const Tensor& self, int64_t dim, const Tensor& index) {
  context->saved_data["sizes"] = self.sizes().vec();
  context->saved_data["dim"] = dim;
  context->save_for_backward({index});
}

Tensor zeros_of(AutogradContext* context, const Tensor& grad) {
  return at::zeros(context->saved_data["sizes"].toIntVector(), grad.options());
}

/// The same memory, as if it were contiguous.
Tensor as_contiguous(const Tensor& tensor) {
  return at::from_blob(tensor.mutable_data_ptr(), tensor.sizes(), tensor.options());
}

enum class Gather { kReference, kDuplicateLost, kGradContiguous };

template <Gather kMake>
struct GatherFunction : torch::autograd::Function<GatherFunction<kMake>> {
  static Tensor forward(AutogradContext* context, const Tensor& self, int64_t dim,
                        const Tensor& index) {
    keep(context, self, dim, index);
    const at::AutoDispatchBelowAutograd below;
    return at::gather(self, dim, index);
  }
  static variable_list backward(AutogradContext* context, const variable_list& grads) {
    // PyTorch's scatter_add is wrong about an index that is expanded.
    const Tensor index = context->get_saved_variables().at(0).contiguous();
    const int64_t dim = context->saved_data["dim"].toInt();
    const Tensor to = zeros_of(context, grads[0]);
    switch (kMake) {
      case Gather::kReference: return {at::scatter_add(to, dim, index, grads[0]), {}, {}};
      case Gather::kDuplicateLost: return {at::scatter(to, dim, index, grads[0]), {}, {}};
      case Gather::kGradContiguous:
        return {at::scatter_add(to, dim, index, as_contiguous(grads[0])), {}, {}};
    }
    return {};
  }
};

template <Gather kMake>
Tensor gather(const Tensor& self, int64_t dim, const Tensor& index) {
  return GatherFunction<kMake>::apply(self, dim, index);
}

enum class Select { kReference, kWholeBlocksOnly };

template <Select kMake>
struct SelectFunction : torch::autograd::Function<SelectFunction<kMake>> {
  static Tensor forward(AutogradContext* context, const Tensor& self, int64_t dim,
                        const Tensor& index) {
    keep(context, self, dim, index);
    const at::AutoDispatchBelowAutograd below;
    return at::index_select(self, dim, index);
  }
  static variable_list backward(AutogradContext* context, const variable_list& grads) {
    Tensor index = context->get_saved_variables().at(0), grad = grads[0];
    const int64_t dim = context->saved_data["dim"].toInt();
    constexpr int64_t kBlock = 8;
    if (kMake == Select::kWholeBlocksOnly && index.dim() == 1 && grad.dim() > 0) {
      const int64_t whole =
          index.size(0) > kBlock ? index.size(0) / kBlock * kBlock : index.size(0);
      index = index.narrow(0, 0, whole);
      grad = grad.narrow(dim, 0, whole);
    }
    return {at::index_add(zeros_of(context, grad), dim, index, grad), {}, {}};
  }
};

template <Select kMake>
Tensor index_select(const Tensor& self, int64_t dim, const Tensor& index) {
  return SelectFunction<kMake>::apply(self, dim, index);
}

struct TakeFunction : torch::autograd::Function<TakeFunction> {
  static Tensor forward(AutogradContext* context, const Tensor& self, const Tensor& index) {
    context->saved_data["sizes"] = self.sizes().vec();
    context->save_for_backward({index});
    const at::AutoDispatchBelowAutograd below;
    return at::take(self, index);
  }
  static variable_list backward(AutogradContext* context, const variable_list& grads) {
    // The defect: the last of several gradients of one element replaces the others.
    return {at::put(zeros_of(context, grads[0]), context->get_saved_variables().at(0), grads[0]),
            {}};
  }
};

Tensor take(const Tensor& self, const Tensor& index) {
  return TakeFunction::apply(self, index);
}

struct EmbeddingFunction : torch::autograd::Function<EmbeddingFunction> {
  static Tensor forward(AutogradContext* context, const Tensor& weight, const Tensor& indices,
                        int64_t padding_idx) {
    context->saved_data["rows"] = weight.size(0);
    context->save_for_backward({indices});
    const at::AutoDispatchBelowAutograd below;
    return at::embedding(weight, indices, padding_idx);
  }
  static variable_list backward(AutogradContext* context, const variable_list& grads) {
    // The defect: the row that pads has a gradient like any other.
    return {at::embedding_dense_backward(grads[0], context->get_saved_variables().at(0),
                                         context->saved_data["rows"].toInt(), -1, false),
            {},
            {}};
  }
};

Tensor embedding(const Tensor& weight, const Tensor& indices, int64_t padding_idx) {
  return EmbeddingFunction::apply(weight, indices, padding_idx);
}

enum class Add { kReference, kWithoutAlpha, kOfSelf };

template <Add kMake>
struct IndexAddFunction : torch::autograd::Function<IndexAddFunction<kMake>> {
  static Tensor forward(AutogradContext* context, const Tensor& self, int64_t dim,
                        const Tensor& index, const Tensor& source, const at::Scalar& alpha) {
    context->saved_data["dim"] = dim;
    context->saved_data["sizes"] = source.sizes().vec();
    context->saved_data["alpha"] = alpha;
    context->save_for_backward({index});
    const at::AutoDispatchBelowAutograd below;
    return at::index_add(self, dim, index, source, alpha);
  }
  static variable_list backward(AutogradContext* context, const variable_list& grads) {
    if (kMake == Add::kOfSelf) return {grads[0], {}, {}, grads[0], {}};
    const Tensor index = context->get_saved_variables().at(0);
    const Tensor of_source = at::index_select(grads[0], context->saved_data["dim"].toInt(), index)
                                 .sum_to_size(context->saved_data["sizes"].toIntVector());
    const at::Scalar alpha = context->saved_data["alpha"].toScalar();
    return {
        grads[0], {}, {}, kMake == Add::kReference ? of_source.mul(alpha.conj()) : of_source, {}};
  }
};

template <Add kMake>
Tensor index_add(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source,
                 const at::Scalar& alpha) {
  return IndexAddFunction<kMake>::apply(self, dim, index, source, alpha);
}

struct ScatterAddFunction : torch::autograd::Function<ScatterAddFunction> {
  static Tensor forward(AutogradContext* context, const Tensor& self, int64_t dim,
                        const Tensor& index, const Tensor& src) {
    context->saved_data["dim"] = dim;
    context->save_for_backward({index});
    const at::AutoDispatchBelowAutograd below;
    return at::scatter_add(self, dim, index, src);
  }
  static variable_list backward(AutogradContext* context, const variable_list& grads) {
    const Tensor index = context->get_saved_variables().at(0);
    // The defect: a row-major number within index stands for a place in the gradient.
    const Tensor flat = at::arange(index.numel(), index.options().dtype(at::kLong));
    return {grads[0], {}, {}, at::take(grads[0], flat.reshape(index.sizes()))};
  }
};

Tensor scatter_add(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src) {
  return ScatterAddFunction::apply(self, dim, index, src);
}

struct FlipFunction : torch::autograd::Function<FlipFunction> {
  static Tensor forward(AutogradContext*, const Tensor& self, at::IntArrayRef dims) {
    const at::AutoDispatchBelowAutograd below;
    return at::flip(self, dims);
  }
  static variable_list backward(AutogradContext*, const variable_list& grads) {
    // The defect: the gradient is not flipped.
    return {grads[0], {}};
  }
};

Tensor flip(const Tensor& self, at::IntArrayRef dims) {
  return FlipFunction::apply(self, dims);
}

struct TrilFunction : torch::autograd::Function<TrilFunction> {
  static Tensor forward(AutogradContext*, const Tensor& self, int64_t diagonal) {
    const at::AutoDispatchBelowAutograd below;
    return at::tril(self, diagonal);
  }
  static variable_list backward(AutogradContext*, const variable_list& grads) {
    // The defect: elements above the diagonal, which the result does not have, get a gradient.
    return {grads[0], {}};
  }
};

Tensor tril(const Tensor& self, int64_t diagonal) {
  return TrilFunction::apply(self, diagonal);
}

struct TakeAlongDimFunction : torch::autograd::Function<TakeAlongDimFunction> {
  static Tensor forward(AutogradContext* context, const Tensor& self, const Tensor& indices,
                        std::optional<int64_t> dim) {
    TORCH_CHECK(dim.has_value(), "flattening is left out");
    keep(context, self, *dim, indices);
    const at::AutoDispatchBelowAutograd below;
    return at::take_along_dim(self, indices, dim);
  }
  static variable_list backward(AutogradContext* context, const variable_list& grads) {
    // The defect: the last of several gradients of one element replaces the others.
    return {at::scatter(zeros_of(context, grads[0]), context->saved_data["dim"].toInt(),
                        context->get_saved_variables().at(0), grads[0]),
            {},
            {}};
  }
};

Tensor take_along_dim(const Tensor& self, const Tensor& indices, std::optional<int64_t> dim) {
  return TakeAlongDimFunction::apply(self, indices, dim);
}

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

/// Registers a kernel that calls the device's own below its gradient.
template <class Kernel>
void define_with_gradient(torch::Library& library, const char* name, const char* arguments,
                          Kernel* kernel) {
  define(library, name, arguments, kernel);
  library.impl(name, torch::dispatch(c10::DispatchKey::Autograd, kernel));
}

constexpr char kAlongDim[] = "(Tensor self, int dim, Tensor index) -> Tensor";
constexpr char kTake[] = "(Tensor self, Tensor index) -> Tensor";
constexpr char kEmbedding[] = "(Tensor weight, Tensor indices, int padding_idx=-1) -> Tensor";
constexpr char kIndexAdd[] =
    "(Tensor self, int dim, Tensor index, Tensor source, Scalar alpha=1) -> Tensor";
constexpr char kIndexCopy[] = "(Tensor self, int dim, Tensor index, Tensor source) -> Tensor";
constexpr char kScatterAdd[] = "(Tensor self, int dim, Tensor index, Tensor src) -> Tensor";

TORCH_LIBRARY_FRAGMENT(planted, m) {
  define_with_gradient(m, "gather_gradient_duplicate_lost", kAlongDim,
                       gather<Gather::kDuplicateLost>);
  define_with_gradient(m, "gather_gradient_contiguous", kAlongDim, gather<Gather::kGradContiguous>);
  define_with_gradient(m, "index_select_gradient_tail_dropped", kAlongDim,
                       index_select<Select::kWholeBlocksOnly>);
  define_with_gradient(m, "take_gradient_overwritten", kTake, take);
  define_with_gradient(m, "embedding_gradient_of_padding", kEmbedding, embedding);
  define_with_gradient(m, "index_add_gradient_without_alpha", kIndexAdd,
                       index_add<Add::kWithoutAlpha>);
  define_with_gradient(m, "index_add_gradient_of_self", kIndexAdd, index_add<Add::kOfSelf>);
  define_with_gradient(m, "scatter_add_gradient_by_number", kScatterAdd, scatter_add);
  define_with_gradient(m, "index_copy_gradient_of_replaced", kIndexCopy,
                       index_copy<Copy::kOfReplaced>);
  define_with_gradient(m, "flip_gradient_not_flipped", "(Tensor self, int[] dims) -> Tensor", flip);
  define_with_gradient(m, "tril_gradient_whole", "(Tensor self, int diagonal=0) -> Tensor", tril);
  define_with_gradient(m, "take_along_dim_gradient_overwritten",
                       "(Tensor self, Tensor indices, int? dim=None) -> Tensor", take_along_dim);
  define_with_gradient(m, "slice_scatter_gradient_in_front",
                       "(Tensor self, Tensor src, int dim=0, int? start=None, int? end=None, "
                       "int step=1) -> Tensor",
                       slice_scatter);
  define_with_gradient(m, "where_gradient_of_other",
                       "(Tensor condition, Tensor self, Tensor other) -> Tensor", where);
}

TORCH_LIBRARY_FRAGMENT(correct, m) {
  define_with_gradient(m, "gather_with_gradient", kAlongDim, gather<Gather::kReference>);
  define_with_gradient(m, "index_select_with_gradient", kAlongDim,
                       index_select<Select::kReference>);
  define_with_gradient(m, "index_add_with_gradient", kIndexAdd, index_add<Add::kReference>);
  define_with_gradient(m, "index_copy_with_gradient", kIndexCopy, index_copy<Copy::kReference>);
  define_with_gradient(
      m, "as_strided_scatter_with_gradient",
      "(Tensor self, Tensor src, int[] size, int[] stride, int? storage_offset=None) -> Tensor",
      as_strided_scatter);
}

}  // namespace
}  // namespace planted
