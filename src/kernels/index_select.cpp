#include <ATen/WrapDimUtils.h>
#include <ATen/ops/empty.h>

#include "along_dim.h"
#include "checks.h"
#include "register.h"
#include "select.h"

namespace kernels {
namespace {

void check_legal(const Tensor& self, const Tensor& index) {
  check_same_device(self, index, "index");
  check_index_dtype(index);
  TORCH_CHECK_INDEX(index.dim() <= 1, "index_select: the index has ", index.dim(), " dimensions");
  TORCH_CHECK(self.dim() > 0 || index.numel() == 1, "index_select: a self of rank 0 takes one ",
              "index, got ", index.numel());
}

DimVector result_sizes(const Tensor& self, int64_t dim, const Tensor& index) {
  DimVector sizes(self.sizes());
  if (!sizes.empty()) sizes[static_cast<size_t>(dim)] = index.numel();
  return sizes;
}

void select_slices(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& result) {
  const SelectArgs args{indexed_slices(view_1d(result), self, dim, index), written_data(result),
                        read_data(self), item_size(self)};
  run(args, result.numel(), self.device());
}

Tensor index_select(const Tensor& self, int64_t dim, const Tensor& index) {
  const c10::DeviceGuard guard(self.device());
  dim = at::maybe_wrap_dim(dim, self.dim());
  check_legal(self, index);
  const Tensor result = at::empty(result_sizes(self, dim, index), self.options());
  select_slices(self, dim, index, result);
  return result;
}

Tensor& index_select_out(const Tensor& self, int64_t dim, const Tensor& index, Tensor& out) {
  const c10::DeviceGuard guard(self.device());
  dim = at::maybe_wrap_dim(dim, self.dim());
  check_legal(self, index);
  start_out(self, result_sizes(self, dim, index), {self, index}, out);
  select_slices(self, dim, index, out);
  return out;
}

TORCH_LIBRARY_FRAGMENT(indexfuzz, m) {
  define(m, "index_select(Tensor self, int dim, Tensor index) -> Tensor", index_select);
  define(m, "index_select.out(Tensor self, int dim, Tensor index, *, Tensor(a!) out) -> Tensor(a!)",
         index_select_out);
}

}  // namespace
}  // namespace kernels
