#include <ATen/WrapDimUtils.h>
#include <ATen/ops/empty.h>

#include "along_dim.h"
#include "checks.h"
#include "operands.h"
#include "register.h"
#include "scalar.h"

namespace kernels {
namespace {

void check_legal(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src) {
  check_same_device(self, index, "index");
  check_same_device(self, src, "src");
  check_same_dtype(self, src, "src");
  // As in ATen, neither the dtype nor the shape of an empty index is checked.
  if (index.numel() == 0) return;
  check_index_dtype(index);
  check_index_fits(index, self, "self", dim);
  check_index_fits(index, src, "src", -1);
}

/// Copies self into `result`, unless it is self, and adds src to it. Every check that the host
/// makes comes before the first write.
void add_onto(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src,
              const Tensor& result) {
  AddArgs args{};
  args.number = number_kind(self.scalar_type());
  args.to = written_data(result);
  args.from = read_data(src);
  if (index.numel() > 0) args.indexed = indexed_along(view_1d(src).strides, result, dim, index);
  if (!result.is_same(self)) copy_elements(self, result);
  add_elements(args, index.numel(), result.device());
}

Tensor scatter_add(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src) {
  const c10::DeviceGuard guard(self.device());
  dim = at::maybe_wrap_dim(dim, self.dim());
  check_legal(self, dim, index, src);
  const Tensor result = at::empty(self.sizes(), self.options());
  add_onto(self, dim, index, src, result);
  return result;
}

Tensor& scatter_add_in_place(Tensor& self, int64_t dim, const Tensor& index, const Tensor& src) {
  const c10::DeviceGuard guard(self.device());
  dim = at::maybe_wrap_dim(dim, self.dim());
  check_legal(self, dim, index, src);
  check_written(self, {index, src});
  add_onto(self, dim, index, src, self);
  return self;
}

Tensor& scatter_add_out(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src,
                        Tensor& out) {
  const c10::DeviceGuard guard(self.device());
  dim = at::maybe_wrap_dim(dim, self.dim());
  check_legal(self, dim, index, src);
  start_out(self, self.sizes(), {index, src}, out);
  add_onto(self, dim, index, src, out);
  return out;
}

TORCH_LIBRARY_FRAGMENT(indexfuzz, m) {
  define(m, "scatter_add(Tensor self, int dim, Tensor index, Tensor src) -> Tensor", scatter_add);
  define(m, "scatter_add_(Tensor(a!) self, int dim, Tensor index, Tensor src) -> Tensor(a!)",
         scatter_add_in_place);
  define(m,
         "scatter_add.out(Tensor self, int dim, Tensor index, Tensor src, *, Tensor(a!) out) -> "
         "Tensor(a!)",
         scatter_add_out);
}

}  // namespace
}  // namespace kernels
