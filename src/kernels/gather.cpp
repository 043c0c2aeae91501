#include <ATen/WrapDimUtils.h>
#include <ATen/ops/empty.h>

#include "along_dim.h"
#include "checks.h"
#include "register.h"
#include "select.h"

namespace kernels {
namespace {

void check_legal(const Tensor& self, int64_t dim, const Tensor& index) {
  check_same_device(self, index, "index");
  // As in ATen, neither the dtype nor the shape of an empty index is checked.
  if (index.numel() == 0) return;
  check_index_dtype(index);
  check_index_fits(index, self, "self", dim);
}

void gather_elements(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& result) {
  if (index.numel() == 0) return;
  const SelectArgs args{indexed_along(view_1d(result).strides, self, dim, index),
                        written_data(result), read_data(self), item_size(self)};
  run(args, index.numel(), self.device());
}

Tensor gather(const Tensor& self, int64_t dim, const Tensor& index, bool /*sparse_grad*/) {
  const c10::DeviceGuard guard(self.device());
  dim = at::maybe_wrap_dim(dim, self.dim());
  check_legal(self, dim, index);
  const Tensor result = at::empty(index.sizes(), self.options());
  gather_elements(self, dim, index, result);
  return result;
}

Tensor& gather_out(const Tensor& self, int64_t dim, const Tensor& index, bool /*sparse_grad*/,
                   Tensor& out) {
  const c10::DeviceGuard guard(self.device());
  dim = at::maybe_wrap_dim(dim, self.dim());
  check_legal(self, dim, index);
  start_out(self, index.sizes(), {self, index}, out);
  gather_elements(self, dim, index, out);
  return out;
}

TORCH_LIBRARY_FRAGMENT(indexfuzz, m) {
  define(m, "gather(Tensor self, int dim, Tensor index, *, bool sparse_grad=False) -> Tensor",
         gather);
  define(m,
         "gather.out(Tensor self, int dim, Tensor index, *, bool sparse_grad=False, "
         "Tensor(a!) out) -> Tensor(a!)",
         gather_out);
}

}  // namespace
}  // namespace kernels
