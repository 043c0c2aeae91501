#include "masks.h"

#include <ATen/ExpandUtils.h>
#include <ATen/ops/empty.h>

#include "found.h"
#include "operands.h"
#include "transfer.h"

namespace kernels {
namespace {

int64_t elements_of(IntArrayRef sizes) {
  return c10::multiply_integers(sizes);
}

Tensor numbers_for(int64_t count, const Tensor& tensor) {
  return at::empty({count}, tensor.options().dtype(at::kLong));
}

Tensor set_numbers_on_cpu(const Truth& truth, int64_t count, const Tensor& tensor) {
  int64_t set = 0;
  for (int64_t i = 0; i < count; ++i) set += truth(i) ? 1 : 0;
  const Tensor numbers = numbers_for(set, tensor);
  auto* next = numbers.mutable_data_ptr<int64_t>();
  for (int64_t i = 0; i < count; ++i)
    if (truth(i)) *next++ = i;
  return numbers;
}

[[maybe_unused]] Tensor set_numbers_on_device(const Truth& truth, int64_t count,
                                              const Tensor& tensor) {
  ScratchMemory memory(tensor.device());
  const Stream stream = current_stream(tensor.device());
  const uint8_t* flags = nullptr;
  check_launch(launch_flags(truth, count, memory, stream, flags));
  int64_t set = 0;
  auto* const on_device = static_cast<int64_t*>(Scratch(memory)(sizeof set));
  check_launch(launch_count(flags, count, on_device, memory, stream));
  check_launch(copy_to_host(&set, on_device, sizeof set, stream));
  const Tensor numbers = numbers_for(set, tensor);
  if (set > 0)
    check_launch(launch_find(flags, count, numbers.mutable_data_ptr<int64_t>(), memory, stream));
  return numbers;
}

}  // namespace

DimVector masked_sizes(const Tensor& self, const Tensor& mask) {
  TORCH_CHECK(mask.device() == self.device(), "expected mask on ", self.device(),
              " as self is, got it on ", mask.device());
  TORCH_CHECK(mask.scalar_type() == at::kBool, "expected a bool mask, got ", mask.scalar_type());
  return at::infer_size_dimvector(self.sizes(), mask.sizes());
}

void check_mask_fits(const Tensor& self, const Tensor& mask) {
  const DimVector sizes = masked_sizes(self, mask);
  TORCH_CHECK(IntArrayRef(sizes) == self.sizes(), "a mask of ", mask.sizes(),
              " does not broadcast to self of ", self.sizes());
}

Truth truth_of(const Tensor& tensor, IntArrayRef sizes) {
  Truth truth{};
  DimVector strides = broadcast_strides(tensor, sizes);
  truth.shape = join(sizes, {&strides});
  truth.strides = packed(strides);
  truth.data = read_data(tensor);
  truth.components = tensor.is_complex() ? 2 : 1;
  truth.bytes = item_size(tensor) / truth.components;
  const at::ScalarType dtype = tensor.scalar_type();
  // In these two dtypes a sign bit alone is NaN.
  const bool one_zero = dtype == at::kFloat8_e4m3fnuz || dtype == at::kFloat8_e5m2fnuz;
  truth.has_sign = (tensor.is_floating_point() || tensor.is_complex()) && !one_zero;
  truth.is_bool = tensor.scalar_type() == at::kBool;
  return truth;
}

Tensor set_numbers(const Tensor& tensor, IntArrayRef sizes) {
  const int64_t count = elements_of(sizes);
  if (count == 0) return numbers_for(0, tensor);
  const Truth truth = truth_of(tensor, sizes);
  if constexpr (kCuda) {
    if (tensor.is_cuda()) return set_numbers_on_device(truth, count, tensor);
  }
  return set_numbers_on_cpu(truth, count, tensor);
}

Tensor set_before(const Tensor& mask, IntArrayRef sizes) {
  const Tensor before = numbers_for(elements_of(sizes), mask);
  if (before.numel() == 0) return before;
  const Truth truth = truth_of(mask, sizes);
  auto* const numbers = before.mutable_data_ptr<int64_t>();
  if (mask.is_cpu()) {
    int64_t set = 0;
    for (int64_t i = 0; i < before.numel(); ++i) {
      numbers[i] = set;
      if (truth(i)) ++set;
    }
  } else if constexpr (kCuda) {
    ScratchMemory memory(mask.device());
    const Stream stream = current_stream(mask.device());
    const uint8_t* flags = nullptr;
    check_launch(launch_flags(truth, before.numel(), memory, stream, flags));
    check_launch(launch_count_before(flags, before.numel(), numbers, memory, stream));
  }
  return before;
}

void write_coordinates(const Tensor& self, const Tensor& numbers, const Tensor& to) {
  if (to.numel() == 0) return;
  TORCH_CHECK(self.dim() <= kMaxDims, "more than ", kMaxDims,
              " dimensions are not supported by this kernel");
  Coordinates body{};
  body.numbers = numbers.const_data_ptr<int64_t>();
  body.shape.rank = static_cast<int>(self.dim());
  int64_t below = 1;
  for (int64_t d = self.dim(); d-- > 0;) {
    body.shape.sizes[d] = self.size(d);
    body.below[d] = below;
    below *= self.size(d);
  }
  body.to = written_data(to);
  const View rows = view(to);
  body.row_step = rows.strides[0];
  body.column_step = rows.strides[1];
  run(body, to.numel(), self.device());
}

Tensor set_coordinates(const Tensor& self) {
  const Tensor numbers = set_numbers(self, self.sizes());
  const Tensor rows = at::empty({numbers.numel(), self.dim()}, self.options().dtype(at::kLong));
  write_coordinates(self, numbers, rows);
  return rows;
}

}  // namespace kernels
