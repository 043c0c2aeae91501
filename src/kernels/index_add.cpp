#include <ATen/WrapDimUtils.h>
#include <ATen/ops/empty.h>

#include <algorithm>

#include "along_dim.h"
#include "checks.h"
#include "operands.h"
#include "register.h"
#include "scalar.h"

namespace kernels {
namespace {

void check_legal(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source) {
  check_same_device(self, index, "index");
  check_same_device(self, source, "source");
  check_same_dtype(self, source, "source");
  check_index_dtype(index);
  TORCH_CHECK_INDEX(index.dim() <= 1, "index_add: the index has ", index.dim(), " dimensions");
  TORCH_CHECK(self.dim() == source.dim(), "index_add: self has ", self.dim(),
              " dimensions, source has ", source.dim());
  DimVector expected = view_1d(self).sizes;
  expected[static_cast<size_t>(dim)] = index.numel();
  TORCH_CHECK(view_1d(source).sizes == expected, "index_add: source of ", source.sizes(),
              " does not fit self of ", self.sizes(), " and ", index.numel(), " indices");
}

/// Copies self into `result`, unless it is self, and adds alpha times the slices of source to it.
/// Every check that the host makes comes before the first write.
void add_onto(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source,
              const at::Scalar& alpha, const Tensor& result) {
  AddArgs args{};
  args.number = number_kind(self.scalar_type());
  const ElementBytes factor = element_of(alpha, self.scalar_type());
  args.scaled = factor != element_of(1, self.scalar_type());
  std::copy(factor.begin(), factor.end(), args.alpha);
  args.to = written_data(result);
  args.from = read_data(source);
  args.indexed = indexed_slices(view_1d(source), result, dim, index);
  if (!result.is_same(self)) copy_elements(self, result);
  add_elements(args, source.numel(), result.device());
}

Tensor index_add(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source,
                 const at::Scalar& alpha) {
  const c10::DeviceGuard guard(self.device());
  dim = at::maybe_wrap_dim(dim, self.dim());
  check_legal(self, dim, index, source);
  const Tensor result = at::empty(self.sizes(), self.options());
  add_onto(self, dim, index, source, alpha, result);
  return result;
}

Tensor& index_add_in_place(Tensor& self, int64_t dim, const Tensor& index, const Tensor& source,
                           const at::Scalar& alpha) {
  const c10::DeviceGuard guard(self.device());
  dim = at::maybe_wrap_dim(dim, self.dim());
  check_legal(self, dim, index, source);
  check_written(self, {index, source});
  add_onto(self, dim, index, source, alpha, self);
  return self;
}

Tensor& index_add_out(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source,
                      const at::Scalar& alpha, Tensor& out) {
  const c10::DeviceGuard guard(self.device());
  dim = at::maybe_wrap_dim(dim, self.dim());
  check_legal(self, dim, index, source);
  start_out(self, self.sizes(), {index, source}, out);
  add_onto(self, dim, index, source, alpha, out);
  return out;
}

TORCH_LIBRARY_FRAGMENT(indexfuzz, m) {
  define(m,
         "index_add(Tensor self, int dim, Tensor index, Tensor source, *, Scalar alpha=1) -> "
         "Tensor",
         index_add);
  define(m,
         "index_add_(Tensor(a!) self, int dim, Tensor index, Tensor source, *, Scalar alpha=1) -> "
         "Tensor(a!)",
         index_add_in_place);
  define(m,
         "index_add.out(Tensor self, int dim, Tensor index, Tensor source, *, Scalar alpha=1, "
         "Tensor(a!) out) -> Tensor(a!)",
         index_add_out);
}

}  // namespace
}  // namespace kernels
