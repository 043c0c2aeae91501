#include <ATen/ops/empty.h>

#include "advanced_index.h"
#include "checks.h"
#include "register.h"
#include "select.h"

namespace kernels {
namespace {

void select_elements(const Tensor& self, const AdvancedIndex& index, const Tensor& result) {
  const SelectArgs args{index_into(index, view(result).strides, self), written_data(result),
                        read_data(self), item_size(self)};
  run(args, result.numel(), self.device());
}

Tensor index(const Tensor& self, const IndexList& indices) {
  const c10::DeviceGuard guard(self.device());
  const AdvancedIndex index = read_list(self, indices);
  const Tensor result = at::empty(index.sizes, self.options());
  select_elements(self, index, result);
  return result;
}

Tensor& index_out(const Tensor& self, const IndexList& indices, Tensor& out) {
  const c10::DeviceGuard guard(self.device());
  const AdvancedIndex index = read_list(self, indices);
  for (const std::optional<Tensor>& entry : indices)
    if (entry.has_value() && entry->defined()) at::assert_no_overlap(out, *entry);
  start_out(self, index.sizes, {self}, out);
  select_elements(self, index, out);
  return out;
}

TORCH_LIBRARY_FRAGMENT(indexfuzz, m) {
  define(m, "index.Tensor(Tensor self, Tensor?[] indices) -> Tensor", index);
  define(m, "index.Tensor_out(Tensor self, Tensor?[] indices, *, Tensor(a!) out) -> Tensor(a!)",
         index_out);
}

}  // namespace
}  // namespace kernels
