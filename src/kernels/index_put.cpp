#include <ATen/ExpandUtils.h>
#include <ATen/ops/empty.h>

#include "advanced_index.h"
#include "checks.h"
#include "operands.h"
#include "register.h"
#include "scalar.h"

namespace kernels {
namespace {

/// The values on self's device. As in ATen, values of rank 0 may come from the CPU.
Tensor read_values(const Tensor& self, const Tensor& values) {
  check_same_dtype(self, values, "values");
  if (values.dim() > 0) check_same_device(self, values, "values");
  return on_device(values, self.device(), "values");
}

/// Throws if `written` overlaps itself, the values or an index tensor.
void check_apart(const Tensor& written, const IndexList& indices, const Tensor& values) {
  check_written(written, {values});
  for (const std::optional<Tensor>& entry : indices)
    if (entry.has_value() && entry->defined()) at::assert_no_overlap(written, *entry);
}

/// Copies self into `result`, unless it is self, and puts the values into it. Every check that the
/// host makes comes before the first write.
void put_onto(const Tensor& self, const AdvancedIndex& index, const Tensor& values, bool accumulate,
              const Tensor& result) {
  TORCH_CHECK(at::is_expandable_to(values.sizes(), index.sizes), "index_put: values of ",
              values.sizes(), " do not broadcast to ", IntArrayRef(index.sizes));
  const Indexed indexed = index_into(index, broadcast_strides(values, index.sizes), result);
  const int64_t count = c10::multiply_integers(index.sizes);
  if (!result.is_same(self)) copy_elements(self, result);
  if (accumulate) {
    const AddArgs args{
        indexed, written_data(result), read_data(values), number_kind(self.scalar_type()), false,
        {}};
    add_elements(args, count, self.device());
  } else {
    const PutArgs args{indexed, written_data(result), read_data(values), item_size(self)};
    put_elements(args, count, self.device());
  }
}

Tensor index_put(const Tensor& self, const IndexList& indices, const Tensor& values,
                 bool accumulate) {
  const c10::DeviceGuard guard(self.device());
  const Tensor here = read_values(self, values);
  const AdvancedIndex index = read_list(self, indices);
  const Tensor result = at::empty(self.sizes(), self.options());
  put_onto(self, index, here, accumulate, result);
  return result;
}

Tensor& index_put_in_place(Tensor& self, const IndexList& indices, const Tensor& values,
                           bool accumulate) {
  const c10::DeviceGuard guard(self.device());
  const Tensor here = read_values(self, values);
  check_apart(self, indices, values);
  put_onto(self, read_list(self, indices), here, accumulate, self);
  return self;
}

Tensor& index_put_out(const Tensor& self, const IndexList& indices, const Tensor& values,
                      bool accumulate, Tensor& out) {
  const c10::DeviceGuard guard(self.device());
  const Tensor here = read_values(self, values);
  const AdvancedIndex index = read_list(self, indices);
  check_apart(out, indices, values);
  start_out(self, self.sizes(), {}, out);
  put_onto(self, index, here, accumulate, out);
  return out;
}

TORCH_LIBRARY_FRAGMENT(indexfuzz, m) {
  define(m,
         "index_put(Tensor self, Tensor?[] indices, Tensor values, bool accumulate=False) -> "
         "Tensor",
         index_put);
  define(m,
         "index_put_(Tensor(a!) self, Tensor?[] indices, Tensor values, bool accumulate=False) -> "
         "Tensor(a!)",
         index_put_in_place);
  define(m,
         "index_put.out(Tensor self, Tensor?[] indices, Tensor values, bool accumulate=False, *, "
         "Tensor(a!) out) -> Tensor(a!)",
         index_put_out);
}

}  // namespace
}  // namespace kernels
