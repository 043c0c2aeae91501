// Kernels that select, add or move elements. Their results are right; the gradients of most are
// not.

#include <ATen/ops/arange.h>
#include <ATen/ops/embedding.h>
#include <ATen/ops/embedding_dense_backward.h>
#include <ATen/ops/flip.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/gather.h>
#include <ATen/ops/index_add.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/put.h>
#include <ATen/ops/scatter.h>
#include <ATen/ops/scatter_add.h>
#include <ATen/ops/take.h>
#include <ATen/ops/take_along_dim.h>
#include <ATen/ops/tril.h>
#include <ATen/ops/zeros.h>

#include "with_gradient.h"

namespace planted {
namespace {

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
    // PyTorch's gather and scatter_add are wrong about an index that is expanded.
    return at::gather(self, dim, index.contiguous());
  }
  static variable_list backward(AutogradContext* context, const variable_list& grads) {
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

constexpr char kAlongDim[] = "(Tensor self, int dim, Tensor index) -> Tensor";
constexpr char kTake[] = "(Tensor self, Tensor index) -> Tensor";
constexpr char kEmbedding[] = "(Tensor weight, Tensor indices, int padding_idx=-1) -> Tensor";
constexpr char kIndexAdd[] =
    "(Tensor self, int dim, Tensor index, Tensor source, Scalar alpha=1) -> Tensor";
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
  define_with_gradient(m, "flip_gradient_not_flipped", "(Tensor self, int[] dims) -> Tensor", flip);
  define_with_gradient(m, "tril_gradient_whole", "(Tensor self, int diagonal=0) -> Tensor", tril);
  define_with_gradient(m, "take_along_dim_gradient_overwritten",
                       "(Tensor self, Tensor indices, int? dim=None) -> Tensor", take_along_dim);
}

TORCH_LIBRARY_FRAGMENT(correct, m) {
  define_with_gradient(m, "gather_with_gradient", kAlongDim, gather<Gather::kReference>);
  define_with_gradient(m, "index_select_with_gradient", kAlongDim,
                       index_select<Select::kReference>);
  define_with_gradient(m, "index_add_with_gradient", kIndexAdd, index_add<Add::kReference>);
}

}  // namespace
}  // namespace planted
