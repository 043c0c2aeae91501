#include <ATen/ops/empty.h>

#include "checks.h"
#include "operands.h"
#include "register.h"
#include "select.h"

namespace kernels {
namespace {

/// The arguments without names matter to the gradient only.
Tensor embedding(const Tensor& weight, const Tensor& indices, int64_t /*padding_idx*/,
                 bool /*scale_grad_by_freq*/, bool /*sparse*/) {
  const c10::DeviceGuard guard(weight.device());
  check_same_device(weight, indices, "indices");
  TORCH_CHECK(weight.dim() == 2, "embedding: weight has ", weight.dim(), " dimensions, not 2");
  check_index_dtype(indices);

  const View table = view(weight), which = view(indices);
  DimVector sizes = which.sizes, index_strides = which.strides;
  sizes.push_back(table.sizes[1]);
  index_strides.push_back(0);
  const Tensor result = at::empty(sizes, weight.options());
  DimVector row_strides(which.sizes.size(), 0);
  row_strides.push_back(table.strides[1]);
  const IndexOperand rows{indices, index_strides, table.sizes[0], table.strides[0]};
  const SelectArgs args{make_indexed(sizes, view(result).strides, row_strides, {rows}, false),
                        written_data(result), read_data(weight), item_size(weight)};
  run(args, result.numel(), weight.device());
  return result;
}

/// As in ATen, the result is complete before `out` is written, so that out may be an input.
Tensor& embedding_out(const Tensor& weight, const Tensor& indices, int64_t padding_idx,
                      bool scale_grad_by_freq, bool sparse, Tensor& out) {
  const c10::DeviceGuard guard(weight.device());
  const Tensor result = embedding(weight, indices, padding_idx, scale_grad_by_freq, sparse);
  start_out(weight, result.sizes(), {}, out);
  copy_elements(result, out);
  return out;
}

TORCH_LIBRARY_FRAGMENT(indexfuzz, m) {
  define(m,
         "embedding(Tensor weight, Tensor indices, SymInt padding_idx=-1, "
         "bool scale_grad_by_freq=False, bool sparse=False) -> Tensor",
         embedding);
  define(m,
         "embedding.out(Tensor weight, Tensor indices, SymInt padding_idx=-1, "
         "bool scale_grad_by_freq=False, bool sparse=False, *, Tensor(a!) out) -> Tensor(a!)",
         embedding_out);
}

}  // namespace
}  // namespace kernels
