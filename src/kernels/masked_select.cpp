#include <ATen/ops/empty.h>

#include "checks.h"
#include "found.h"
#include "masks.h"
#include "register.h"

namespace kernels {
namespace {

void pick_elements(const Tensor& self, IntArrayRef sizes, const Tensor& numbers,
                   const Tensor& result) {
  if (numbers.numel() == 0) return;
  DimVector strides = broadcast_strides(self, sizes);
  PickArgs args{};
  args.numbers = numbers.const_data_ptr<int64_t>();
  args.shape = join(sizes, {&strides});
  args.from_strides = packed(strides);
  args.from = read_data(self);
  args.to = written_data(result);
  args.to_step = view(result).strides[0];
  args.item = item_size(self);
  run(args, numbers.numel(), self.device());
}

Tensor masked_select(const Tensor& self, const Tensor& mask) {
  const c10::DeviceGuard guard(self.device());
  const DimVector sizes = masked_sizes(self, mask);
  const Tensor numbers = set_numbers(mask, sizes);
  const Tensor result = at::empty(numbers.sizes(), self.options());
  pick_elements(self, sizes, numbers, result);
  return result;
}

Tensor& masked_select_out(const Tensor& self, const Tensor& mask, Tensor& out) {
  const c10::DeviceGuard guard(self.device());
  const DimVector sizes = masked_sizes(self, mask);
  const Tensor numbers = set_numbers(mask, sizes);
  start_out(self, numbers.sizes(), {self, mask}, out);
  pick_elements(self, sizes, numbers, out);
  return out;
}

TORCH_LIBRARY_FRAGMENT(indexfuzz, m) {
  define(m, "masked_select(Tensor self, Tensor mask) -> Tensor", masked_select);
  define(m, "masked_select.out(Tensor self, Tensor mask, *, Tensor(a!) out) -> Tensor(a!)",
         masked_select_out);
}

}  // namespace
}  // namespace kernels
