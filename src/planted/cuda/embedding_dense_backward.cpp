#include <ATen/ops/empty.h>
#include <ATen/ops/index_fill.h>
#include <ATen/ops/index_put.h>
#include <ATen/ops/max.h>
#include <ATen/ops/min.h>

#include "tensor.h"

namespace planted_cuda {
namespace {

/// Composed of index_put with accumulate. First it fills the result with zeros: all of it, or (the
/// defect) only the rows that an index names.
template <bool kAllRows>
Tensor embedding_dense_backward(const Tensor& grad_output, const Tensor& indices,
                                int64_t num_weights, int64_t padding_idx, bool scale_grad_by_freq) {
  check_index_dtype(indices);
  check_dtype("embedding_dense_backward", grad_output);
  check_device(grad_output, indices);
  TORCH_CHECK(!scale_grad_by_freq, "embedding_dense_backward: rows are not scaled");
  TORCH_CHECK(grad_output.dim() == indices.dim() + 1 &&
                  grad_output.sizes().slice(0, indices.dim()) == indices.sizes(),
              "embedding_dense_backward: grad_output of shape ", grad_output.sizes(),
              " does not fit indices of shape ", indices.sizes());
  const c10::cuda::CUDAGuard guard(grad_output.device());
  const int64_t width = grad_output.size(-1);
  // Allocated first: later it could get memory that the calls below have freed, with their values
  // in it.
  Tensor result = at::empty({num_weights, width}, grad_output.options());
  const Tensor rows = indices.reshape({-1}).to(at::kLong);
  const int64_t count = rows.numel();
  TORCH_CHECK_INDEX(
      count == 0 || (rows.min().item<int64_t>() >= 0 && rows.max().item<int64_t>() < num_weights),
      "embedding_dense_backward: an index is out of range for ", num_weights, " rows");
  if (kAllRows)
    result.zero_();
  else
    result.index_fill_(0, rows, 0);
  result.index_put_({rows}, grad_output.reshape({count, width}), true);
  if (padding_idx >= 0 && padding_idx < num_weights) result.select(0, padding_idx).zero_();
  return result;
}

constexpr const char* kFunctional =
    "(Tensor grad_output, Tensor indices, int num_weights, int padding_idx, "
    "bool scale_grad_by_freq) -> Tensor";

TORCH_LIBRARY_FRAGMENT(planted_cuda, m) {
  define(m, "embedding_dense_backward_other_rows_unwritten", kFunctional,
         embedding_dense_backward<false>);
}

TORCH_LIBRARY_FRAGMENT(correct_cuda, m) {
  define(m, "embedding_dense_backward_composed", kFunctional, embedding_dense_backward<true>);
}

}  // namespace
}  // namespace planted_cuda
