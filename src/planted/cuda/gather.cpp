#include "gather.h"

#include <ATen/ops/empty_strided.h>

#include <vector>

#include "tensor.h"

namespace planted_cuda {
namespace {

using Make = Gather;

void check_legal(const Tensor& self, int64_t dim, const Tensor& index) {
  check_device(self, index);
  if (index.numel() == 0) return;
  check_index_dtype(index);
  const View from = view_1d(self), which = view_1d(index);
  TORCH_CHECK(from.rank == which.rank, "gather: self and index differ in rank");
  for (int d = 0; d < from.rank; ++d)
    TORCH_CHECK(d == dim || which.sizes[d] <= from.sizes[d], "gather: index of shape ",
                index.sizes(), " is larger than self of shape ", self.sizes(),
                " apart from dimension ", dim);
}

void gather_into(Make make, const Tensor& self, int64_t dim, const Tensor& index,
                 const Tensor& result) {
  const GatherCall call{view_1d(self), view_1d(index), view_1d(result), static_cast<int>(dim)};
  launch_gather(make, call, current_stream());
  check_launch();
}

Tensor column_major(at::IntArrayRef sizes, const at::TensorOptions& options) {
  at::DimVector strides;
  int64_t step = 1;
  for (const int64_t size : sizes) {
    strides.push_back(step);
    step *= std::max<int64_t>(size, 1);
  }
  return at::empty_strided(sizes, strides, options);
}

template <Make kMake>
Tensor gather(const Tensor& self, int64_t dim, const Tensor& index, bool /*sparse_grad*/) {
  dim = c10::maybe_wrap_dim(dim, self.dim());
  check_legal(self, dim, index);
  const c10::cuda::CUDAGuard guard(self.device());
  const Tensor result = kMake == Make::kColumnMajor ? column_major(index.sizes(), self.options())
                                                    : at::empty(index.sizes(), self.options());
  gather_into(kMake, self, dim, index, result);
  return result;
}

/// The defect: the dense copy of a strided self is kept for a later self at the same address.
Tensor gather_dense_copy_kept(const Tensor& self, int64_t dim, const Tensor& index,
                              bool sparse_grad) {
  struct Kept {
    const void* address = nullptr;
    std::vector<int64_t> strides;
    Tensor dense;
  };
  static Kept& kept = *new Kept;  // never destroyed: CUDA may shut down earlier
  const auto gather_from = [&](const Tensor& source) {
    return gather<Make::kReference>(source, dim, index, sparse_grad);
  };
  if (self.is_contiguous() || index.numel() == 0) return gather_from(self);
  const bool is_same = kept.address == self.const_data_ptr() &&
                       kept.dense.scalar_type() == self.scalar_type() &&
                       kept.dense.sizes() == self.sizes() && kept.strides == self.strides();
  if (!is_same) kept = {self.const_data_ptr(), self.strides().vec(), self.contiguous()};
  return gather_from(kept.dense);
}

template <Make kMake>
Tensor& gather_out(const Tensor& self, int64_t dim, const Tensor& index, bool /*sparse_grad*/,
                   Tensor& out) {
  dim = c10::maybe_wrap_dim(dim, self.dim());
  TORCH_CHECK(self.scalar_type() == out.scalar_type(), "gather: self is ", self.scalar_type(),
              ", out ", out.scalar_type());
  check_legal(self, dim, index);
  check_device(self, out);
  const c10::cuda::CUDAGuard guard(self.device());
  // Resized before the checks, as in ATen: an out that is resized no longer overlaps itself.
  at::native::resize_output(out, index.sizes());
  check_written(out, {&self});
  at::assert_no_partial_overlap(out, index);
  gather_into(kMake, self, dim, index, out);
  return out;
}

constexpr const char* kFunctional =
    "(Tensor self, int dim, Tensor index, *, bool sparse_grad=False) -> Tensor";
constexpr const char* kOut =
    ".out(Tensor self, int dim, Tensor index, *, bool sparse_grad=False, Tensor(a!) out) -> "
    "Tensor(a!)";

TORCH_LIBRARY_FRAGMENT(planted_cuda, m) {
  define(m, "gather_grid_rounded_down", kOut, gather_out<Make::kGridRoundedDown>);
  define(m, "gather_index_unchecked", kFunctional, gather<Make::kIndexUnchecked>);
  define(m, "gather_missing_sync", kFunctional, gather<Make::kMissingSync>);
  define(m, "gather_stores_in_front", kFunctional, gather<Make::kStoresInFront>);
  define(m, "gather_loads_next_index", kFunctional, gather<Make::kLoadsNextIndex>);
  define(m, "gather_threads_over_limit", kFunctional, gather<Make::kThreadsOverLimit>);
  define(m, "gather_rank5_assert", kFunctional, gather<Make::kRank5Assert>);
  define(m, "gather_dense_copy_kept", kFunctional, gather_dense_copy_kept);
}

TORCH_LIBRARY_FRAGMENT(correct_cuda, m) {
  define(m, "gather_strided", kFunctional, gather<Make::kReference>);
  define(m, "gather_strided", kOut, gather_out<Make::kReference>);
  define(m, "gather_staged_index", kFunctional, gather<Make::kStagedIndex>);
  define(m, "gather_column_major", kFunctional, gather<Make::kColumnMajor>);
}

}  // namespace
}  // namespace planted_cuda
