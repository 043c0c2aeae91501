#include "where.h"

#include <ATen/ExpandUtils.h>
#include <ATen/ops/result_type.h>

#include "side_stream.h"
#include "tensor.h"

namespace planted_cuda {
namespace {

using Make = Where;

/// The value on the condition's device, in `dtype`. Only a 0-dim one may be on another device.
Tensor operand(const Tensor& value, const Tensor& condition, at::ScalarType dtype) {
  if (value.dim() > 0) check_device(condition, value);
  return value.to(condition.device(), dtype);
}

/// A copy of the call in device memory, which a side stream makes.
Tensor staged_table(const WhereCall& call, const Tensor& result) {
  const auto side = side_stream(result.device());
  Tensor table;
  {
    const c10::cuda::CUDAStreamGuard on_side(side);
    table = at::empty({sizeof call}, result.options().dtype(at::kByte));
  }
  C10_CUDA_CHECK(
      cudaMemcpyAsync(table.mutable_data_ptr(), &call, sizeof call, cudaMemcpyHostToDevice, side));
  wait_for(c10::cuda::getCurrentCUDAStream(), side);
  return table;
}

void choose(Make make, const WhereCall& call, const Tensor& result) {
  const auto current = c10::cuda::getCurrentCUDAStream();
  switch (make) {
    case Make::kReference: launch_where(call, current); break;
    case Make::kStartsTooEarly:
    case Make::kStartsTooEarlyAnywhere: {
      // The defect: the side stream does not wait for the inputs.
      const auto side = make == Make::kStartsTooEarly
                            ? side_stream(result.device())
                            : c10::cuda::getStreamFromPool(false, result.device().index());
      launch_where(call, side);
      wait_for(current, side);
      break;
    }
    case Make::kTableReused:
    case Make::kTableKept: {
      const Tensor table = staged_table(call, result);
      launch_where_by_table(result.numel(), table.const_data_ptr(), current);
      // The defect is to leave this out: the side stream may then reuse the table's memory at once.
      if (make == Make::kTableKept) table.record_stream(current.unwrap());
      break;
    }
  }
  check_launch();
}

template <Make kMake>
Tensor where(const Tensor& condition, const Tensor& self, const Tensor& other) {
  TORCH_CHECK(condition.scalar_type() == at::kBool || condition.scalar_type() == at::kByte,
              "where: expected a bool condition, got ", condition.scalar_type());
  TORCH_CHECK(condition.is_cuda(), "where: the condition is not on a GPU");
  const c10::cuda::CUDAGuard guard(condition.device());
  const at::ScalarType dtype = at::result_type(self, other);
  const Tensor ours = operand(self, condition, dtype), theirs = operand(other, condition, dtype);
  const at::DimVector shape = at::infer_size_dimvector(
      at::infer_size_dimvector(self.sizes(), other.sizes()), condition.sizes());
  const Tensor result = at::empty(shape, condition.options().dtype(dtype));
  const WhereCall call{view_of(condition.expand(shape)), view_of(ours.expand(shape)),
                       view_of(theirs.expand(shape)), view_of(result)};
  choose(kMake, call, result);
  return result;
}

constexpr const char* kFunctional = "(Tensor condition, Tensor self, Tensor other) -> Tensor";

TORCH_LIBRARY_FRAGMENT(planted_cuda, m) {
  define(m, "where_starts_too_early", kFunctional, where<Make::kStartsTooEarly>);
  define(m, "where_starts_too_early_on_any_stream", kFunctional,
         where<Make::kStartsTooEarlyAnywhere>);
  define(m, "where_table_reused", kFunctional, where<Make::kTableReused>);
}

TORCH_LIBRARY_FRAGMENT(correct_cuda, m) {
  define(m, "where_strided", kFunctional, where<Make::kReference>);
  define(m, "where_table_kept", kFunctional, where<Make::kTableKept>);
}

}  // namespace
}  // namespace planted_cuda
