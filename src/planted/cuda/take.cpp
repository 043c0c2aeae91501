#include "take.h"

#include "tensor.h"

namespace planted_cuda {
namespace {

using Make = Take;

/// The defect: allocates memory that is never freed.
void allocate_workspace(size_t bytes) {
  void* workspace = nullptr;
  C10_CUDA_CHECK(cudaMalloc(&workspace, bytes));
}

template <Make kMake>
Tensor take(const Tensor& self, const Tensor& index) {
  TORCH_CHECK(index.scalar_type() == at::kLong, "take: expected int64 for the index, got ",
              index.scalar_type());
  TORCH_CHECK_INDEX(self.numel() > 0 || index.numel() == 0, "take: self is empty");
  check_device(self, index);
  const c10::cuda::CUDAGuard guard(self.device());
  const Tensor result = at::empty(index.sizes(), self.options());
  TakeCall call{view_1d(self), view_of(index), view_of(result)};
  if (kMake == Make::kOffsetIgnored)
    call.from.data = static_cast<char*>(self.storage().mutable_data());
  if (kMake == Make::kWorkspaceLeaked) allocate_workspace(2 << 20);
  if (kMake == Make::kSmallLeak && self.numel() == 1) allocate_workspace(64);
  launch_take(kMake, call, current_stream());
  check_launch();
  return result;
}

constexpr const char* kFunctional = "(Tensor self, Tensor index) -> Tensor";

TORCH_LIBRARY_FRAGMENT(planted_cuda, m) {
  define(m, "take_offset_ignored", kFunctional, take<Make::kOffsetIgnored>);
  define(m, "take_negative_not_wrapped", kFunctional, take<Make::kNegativeNotWrapped>);
  define(m, "take_grid_capped", kFunctional, take<Make::kGridCapped>);
  define(m, "take_grid_of_nothing", kFunctional, take<Make::kGridOfNothing>);
  define(m, "take_workspace_leaked", kFunctional, take<Make::kWorkspaceLeaked>);
  define(m, "take_small_leak", kFunctional, take<Make::kSmallLeak>);
}

TORCH_LIBRARY_FRAGMENT(correct_cuda, m) {
  define(m, "take_strided", kFunctional, take<Make::kReference>);
  define(m, "take_traps", kFunctional, take<Make::kTraps>);
}

}  // namespace
}  // namespace planted_cuda
