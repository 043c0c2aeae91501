#include <ATen/native/Resize.h>

#include "checks.h"
#include "masks.h"
#include "register.h"

namespace kernels {
namespace {

Tensor nonzero(const Tensor& self) {
  const c10::DeviceGuard guard(self.device());
  return set_coordinates(self);
}

Tensor& nonzero_out(const Tensor& self, Tensor& out) {
  const c10::DeviceGuard guard(self.device());
  TORCH_CHECK(out.scalar_type() == at::kLong, "expected int64 for out, got ", out.scalar_type());
  check_same_device(self, out, "out");
  check_written(out, {self});
  const Tensor numbers = set_numbers(self, self.sizes());
  at::native::resize_output(out, {numbers.numel(), self.dim()});
  write_coordinates(self, numbers, out);
  return out;
}

TORCH_LIBRARY_FRAGMENT(indexfuzz, m) {
  define(m, "nonzero(Tensor self) -> Tensor", nonzero);
  define(m, "nonzero.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)", nonzero_out);
}

}  // namespace
}  // namespace kernels
