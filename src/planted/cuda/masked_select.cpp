#include "masked_select.h"

#include <ATen/ExpandUtils.h>

#include "selected.h"
#include "tensor.h"

namespace planted_cuda {
namespace {

using Make = MaskedSelect;

/// The defect: reads the sum without waiting for the copy that brings it.
int64_t read_sum_at_once(const Tensor& begins) {
  static thread_local int64_t* const sum = [] {
    void* pinned = nullptr;
    C10_CUDA_CHECK(cudaMallocHost(&pinned, sizeof(int64_t)));
    return static_cast<int64_t*>(pinned);
  }();
  *sum = 0;
  const int64_t* from = begins.const_data_ptr<int64_t>() + begins.numel() - 1;
  C10_CUDA_CHECK(cudaMemcpyAsync(sum, from, sizeof *sum, cudaMemcpyDeviceToHost, current_stream()));
  return *const_cast<volatile int64_t*>(sum);
}

template <Make kMake>
Tensor masked_select(const Tensor& self, const Tensor& mask) {
  TORCH_CHECK(mask.scalar_type() == at::kBool, "expected a bool mask, got ", mask.scalar_type());
  check_device(self, mask);
  const at::DimVector shape = at::infer_size_dimvector(self.sizes(), mask.sizes());
  const c10::cuda::CUDAGuard guard(self.device());
  const int64_t n = c10::multiply_integers(shape);
  Tensor begins = allocate_begins(n, self);
  // The defect: a last block that is not full has no room.
  if (kMake == Make::kWorkspaceTooSmall) begins = at::empty({n / 64 + 1}, begins.options());
  if (kMake == Make::kWaitsForNothing) begins = at::empty({2 * begins.numel()}, begins.options());

  const MaskedSelectCall call{view_of(self.expand(shape)), view_of(mask.expand(shape)),
                              begins.mutable_data_ptr<int64_t>()};
  launch_count(kMake, call, current_stream());
  check_launch();
  const int64_t sum =
      kMake == Make::kCountNotAwaited ? read_sum_at_once(begins) : read_sum(begins, n);
  const Tensor result = at::empty({sum}, self.options());
  if (sum == 0) return result;
  launch_masked_select(call, static_cast<char*>(result.mutable_data_ptr()), current_stream());
  check_launch();
  return result;
}

constexpr const char* kFunctional = "(Tensor self, Tensor mask) -> Tensor";

TORCH_LIBRARY_FRAGMENT(planted_cuda, m) {
  define(m, "masked_select_carry_forgotten", kFunctional, masked_select<Make::kCarryForgotten>);
  define(m, "masked_select_workspace_too_small", kFunctional,
         masked_select<Make::kWorkspaceTooSmall>);
  define(m, "masked_select_waits_for_nothing", kFunctional, masked_select<Make::kWaitsForNothing>);
  define(m, "masked_select_count_not_awaited", kFunctional, masked_select<Make::kCountNotAwaited>);
}

TORCH_LIBRARY_FRAGMENT(correct_cuda, m) {
  define(m, "masked_select_by_block", kFunctional, masked_select<Make::kReference>);
}

}  // namespace
}  // namespace planted_cuda
