#include <ATen/ops/empty.h>

#include <algorithm>

#include "checks.h"
#include "fill.h"
#include "masks.h"
#include "operands.h"
#include "register.h"
#include "scalar.h"

namespace kernels {
namespace {

/// Writes the masked self into `result`, which may be self.
void fill_elements(const Tensor& self, const Tensor& mask, const at::Scalar& value,
                   const Tensor& result) {
  FillArgs args{};
  const ElementBytes element = element_of(value, self.scalar_type());
  std::copy(element.begin(), element.end(), args.value);
  if (result.numel() == 0) return;
  View to = view(result);
  DimVector from = broadcast_strides(self, to.sizes), truths = broadcast_strides(mask, to.sizes);
  args.shape = join(to.sizes, {&to.strides, &from, &truths});
  args.to_strides = packed(to.strides);
  args.from_strides = packed(from);
  args.mask_strides = packed(truths);
  args.to = written_data(result);
  args.from = result.is_same(self) ? nullptr : read_data(self);
  args.mask = read_data(mask);
  args.item = item_size(self);
  run(args, result.numel(), self.device());
}

at::Scalar only_number(const Tensor& self, const Tensor& value) {
  TORCH_CHECK(value.dim() == 0, "masked_fill: the value has ", value.dim(), " dimensions, not 0");
  TORCH_CHECK(value.is_cpu() || value.device() == self.device(), "expected value on ",
              self.device(), " or the CPU, got it on ", value.device());
  return number_in(value);
}

Tensor fill(const Tensor& self, const Tensor& mask, const at::Scalar& value) {
  const c10::DeviceGuard guard(self.device());
  const Tensor result = at::empty(masked_sizes(self, mask), self.options());
  fill_elements(self, mask, value, result);
  return result;
}

Tensor& fill_in_place(Tensor& self, const Tensor& mask, const at::Scalar& value) {
  const c10::DeviceGuard guard(self.device());
  check_mask_fits(self, mask);
  fill_elements(self, mask, value, self);
  return self;
}

/// As in ATen, the result is complete before `out` is written, so that out may be an input.
Tensor& fill_out(const Tensor& self, const Tensor& mask, const at::Scalar& value, Tensor& out) {
  const c10::DeviceGuard guard(self.device());
  const Tensor result = fill(self, mask, value);
  start_out(self, result.sizes(), {}, out);
  copy_elements(result, out);
  return out;
}

Tensor fill_with_tensor(const Tensor& self, const Tensor& mask, const Tensor& value) {
  return fill(self, mask, only_number(self, value));
}

Tensor& fill_with_tensor_in_place(Tensor& self, const Tensor& mask, const Tensor& value) {
  return fill_in_place(self, mask, only_number(self, value));
}

Tensor& fill_with_tensor_out(const Tensor& self, const Tensor& mask, const Tensor& value,
                             Tensor& out) {
  return fill_out(self, mask, only_number(self, value), out);
}

TORCH_LIBRARY_FRAGMENT(indexfuzz, m) {
  define(m, "masked_fill.Scalar(Tensor self, Tensor mask, Scalar value) -> Tensor", fill);
  define(m, "masked_fill_.Scalar(Tensor(a!) self, Tensor mask, Scalar value) -> Tensor(a!)",
         fill_in_place);
  define(m,
         "masked_fill.Scalar_out(Tensor self, Tensor mask, Scalar value, *, Tensor(a!) out) -> "
         "Tensor(a!)",
         fill_out);
  define(m, "masked_fill.Tensor(Tensor self, Tensor mask, Tensor value) -> Tensor",
         fill_with_tensor);
  define(m, "masked_fill_.Tensor(Tensor(a!) self, Tensor mask, Tensor value) -> Tensor(a!)",
         fill_with_tensor_in_place);
  define(m,
         "masked_fill.Tensor_out(Tensor self, Tensor mask, Tensor value, *, Tensor(a!) out) -> "
         "Tensor(a!)",
         fill_with_tensor_out);
}

}  // namespace
}  // namespace kernels
