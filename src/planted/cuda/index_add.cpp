#include "index_add.h"

#include <ATen/ops/clone.h>
#include <ATen/ops/index_put.h>
#include <ATen/ops/max.h>
#include <ATen/ops/min.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/scalar_tensor.h>

#include "tensor.h"

namespace planted_cuda {
namespace {

using Make = IndexAdd;

void check_legal(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source,
                 const at::Scalar& alpha) {
  check_device(self, index);
  check_device(self, source);
  check_index_dtype(index);
  check_dtype("index_add", self);
  TORCH_CHECK(self.scalar_type() == source.scalar_type(), "index_add: self is ", self.scalar_type(),
              ", source ", source.scalar_type());
  TORCH_CHECK(self.is_complex() || !alpha.isComplex(),
              "index_add: a complex alpha for self, "
              "which is ",
              self.scalar_type());
  TORCH_CHECK_INDEX(index.dim() <= 1, "index_add: the index has ", index.dim(), " dimensions");
  TORCH_CHECK(self.dim() == source.dim(), "index_add: self and source differ in rank");
  View shape = view_1d(self);
  shape.sizes[dim] = index.numel();
  const View from = view_1d(source);
  TORCH_CHECK(std::equal(from.sizes, from.sizes + from.rank, shape.sizes),
              "index_add: source of shape ", source.sizes(), " does not fit self of shape ",
              self.sizes(), " and ", index.numel(), " indices");
}

bool is_one(const at::Scalar& alpha) {
  return !alpha.isComplex() && alpha.equal(1);
}

Tensor scaled(const Tensor& source, const at::Scalar& alpha) {
  if (is_one(alpha)) return source;
  return at::mul(source, at::scalar_tensor(alpha, at::TensorOptions(source.scalar_type())));
}

/// Adds alpha times the slices of source onto `result`, which holds self.
void add_slices(Make make, const Tensor& result, int64_t dim, const Tensor& index,
                const Tensor& source, const at::Scalar& alpha) {
  Tensor slices = scaled(source, alpha);
  // The defect: the product is stored in source.
  if (make == Make::kScalesSource && !is_one(alpha) && source.is_non_overlapping_and_dense()) {
    source.copy_(slices);
    slices = source;
  }
  const IndexAddCall call{view_1d(index), view_1d(slices), view_1d(result), static_cast<int>(dim),
                          result.scalar_type()};
  launch_index_add(make, call, current_stream());
  check_launch();
}

template <Make kMake>
Tensor index_add(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source,
                 const at::Scalar& alpha) {
  dim = c10::maybe_wrap_dim(dim, self.dim());
  check_legal(self, dim, index, source, alpha);
  const c10::cuda::CUDAGuard guard(self.device());
  const Tensor result = self.clone(at::MemoryFormat::Contiguous);
  add_slices(kMake, result, dim, index, source, alpha);
  return result;
}

template <Make kMake>
Tensor& index_add_in_place(Tensor& self, int64_t dim, const Tensor& index, const Tensor& source,
                           const at::Scalar& alpha) {
  dim = c10::maybe_wrap_dim(dim, self.dim());
  check_legal(self, dim, index, source, alpha);
  check_written(self, {&index, &source});
  const c10::cuda::CUDAGuard guard(self.device());
  add_slices(kMake, self, dim, index, source, alpha);
  return self;
}

/// Correct: composed of advanced indexing. That would also accept negative indices, so the host
/// waits for the index and refuses them.
Tensor index_add_composed(const Tensor& self, int64_t dim, const Tensor& index,
                          const Tensor& source, const at::Scalar& alpha) {
  dim = c10::maybe_wrap_dim(dim, self.dim());
  check_legal(self, dim, index, source, alpha);
  TORCH_CHECK(self.dim() > 0, "index_add_composed: self must have a dimension");
  if (source.numel() == 0) return self.clone();
  TORCH_CHECK_INDEX(
      index.min().item<int64_t>() >= 0 && index.max().item<int64_t>() < self.size(dim),
      "index_add: an index is out of range for size ", self.size(dim));
  c10::List<std::optional<Tensor>> indices;
  for (int64_t d = 0; d < dim; ++d) indices.push_back(std::nullopt);
  indices.push_back(index.to(at::kLong).reshape({-1}));
  // PyTorch 2.11.0 uses the stride of a dimension of size 1 before the indexed one. A copy has the
  // contiguous stride there.
  const Tensor plain = self.clone(at::MemoryFormat::Contiguous);
  return at::index_put(plain, indices, scaled(source, alpha), true);
}

constexpr const char* kFunctional =
    "(Tensor self, int dim, Tensor index, Tensor source, *, Scalar alpha=1) -> Tensor";
constexpr const char* kInPlace =
    "(Tensor(a!) self, int dim, Tensor index, Tensor source, *, Scalar alpha=1) -> Tensor(a!)";

TORCH_LIBRARY_FRAGMENT(planted_cuda, m) {
  define(m, "index_add_sums_of_blocks", kFunctional, index_add<Make::kSumsOfBlocks>);
  define(m, "index_add_reads_past_index_", kInPlace, index_add_in_place<Make::kReadsPastIndex>);
  define(m, "index_add_scales_source", kFunctional, index_add<Make::kScalesSource>);
}

TORCH_LIBRARY_FRAGMENT(correct_cuda, m) {
  define(m, "index_add_atomic", kFunctional, index_add<Make::kReference>);
  define(m, "index_add_composed", kFunctional, index_add_composed);
}

}  // namespace
}  // namespace planted_cuda
