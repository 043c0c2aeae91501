#include "nonzero.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/div.h>
#include <ATen/ops/masked_select.h>
#include <ATen/ops/ne.h>
#include <ATen/ops/remainder.h>
#include <ATen/ops/stack.h>

#include "selected.h"
#include "tensor.h"

namespace planted_cuda {
namespace {

using Make = Nonzero;

template <Make kMake>
Tensor nonzero(const Tensor& self) {
  check_dtype("nonzero", self);
  const c10::cuda::CUDAGuard guard(self.device());
  const Tensor begins = allocate_begins(self.numel(), self);
  const NonzeroCall call{view_of(self), self.scalar_type(), begins.mutable_data_ptr<int64_t>()};
  launch_count(kMake, call, current_stream());
  check_launch();
  const Tensor result = at::empty({read_sum(begins, self.numel()), self.dim()}, begins.options());
  if (result.numel() == 0) return result;
  launch_nonzero(kMake, call, result.mutable_data_ptr<int64_t>(), current_stream());
  check_launch();
  return result;
}

/// Correct: selects the row-major numbers of nonzero elements and divides them into coordinates.
Tensor nonzero_composed(const Tensor& self) {
  const c10::cuda::CUDAGuard guard(self.device());
  const at::TensorOptions wide = self.options().dtype(at::kLong);
  const Tensor flat =
      at::masked_select(at::arange(self.numel(), wide), at::ne(self.reshape({-1}), at::Scalar(0)));
  if (self.dim() == 0) return at::empty({flat.numel(), 0}, wide);
  std::vector<Tensor> coordinates(self.dim());
  int64_t step = 1;
  for (int64_t d = self.dim(); d-- > 0;) {
    const int64_t size = std::max<int64_t>(self.size(d), 1);
    coordinates[d] = at::remainder(at::div(flat, step, "floor"), size);
    step *= size;
  }
  return at::stack(coordinates, 1);
}

constexpr const char* kFunctional = "(Tensor self) -> Tensor";

TORCH_LIBRARY_FRAGMENT(planted_cuda, m) {
  define(m, "nonzero_truncated", kFunctional, nonzero<Make::kTruncated>);
}

TORCH_LIBRARY_FRAGMENT(correct_cuda, m) {
  define(m, "nonzero_by_block", kFunctional, nonzero<Make::kReference>);
  define(m, "nonzero_composed", kFunctional, nonzero_composed);
}

}  // namespace
}  // namespace planted_cuda
