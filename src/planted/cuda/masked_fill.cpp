#include "masked_fill.h"

#include <ATen/ExpandUtils.h>
#include <ATen/cuda/CUDAEvent.h>
#include <ATen/ops/clone.h>
#include <ATen/ops/full.h>

#include "tensor.h"

namespace planted_cuda {
namespace {

using Make = MaskedFill;

at::DimVector joint_shape(const Tensor& self, const Tensor& mask) {
  TORCH_CHECK(mask.scalar_type() == at::kBool, "expected a bool mask, got ", mask.scalar_type());
  check_device(self, mask);
  return at::infer_size_dimvector(self.sizes(), mask.sizes());
}

/// Sends the call to the device by way of pinned memory, of which a thread has one piece.
Tensor staged(Make make, const MaskedFillCall& call, const Tensor& result) {
  static thread_local MaskedFillCall* const piece = [] {
    void* pinned = nullptr;
    C10_CUDA_CHECK(cudaMallocHost(&pinned, sizeof(MaskedFillCall)));
    return static_cast<MaskedFillCall*>(pinned);
  }();
  static thread_local at::cuda::CUDAEvent copied;
  if (make == Make::kStagedAwaited) copied.synchronize();
  *piece = call;
  const Tensor there =
      at::empty({static_cast<int64_t>(sizeof call)}, result.options().dtype(at::kByte));
  C10_CUDA_CHECK(cudaMemcpyAsync(there.mutable_data_ptr(), piece, sizeof call,
                                 cudaMemcpyHostToDevice, current_stream()));
  copied.record();
  return there;
}

/// Fills `result`, which holds the broadcast self, with the one element of `value`.
void fill(Make make, const Tensor& result, const Tensor& mask, const Tensor& value) {
  MaskedFillCall call{view_of(result), view_of(mask.expand(result.sizes())),
                      static_cast<const char*>(value.const_data_ptr())};
  // The defect: steps over the mask are counted in self's elements.
  if (make == Make::kMaskInItems) call.mask.item = call.to.item;
  if (make == Make::kStaged || make == Make::kStagedAwaited) {
    const Tensor there = staged(make, call, result);
    launch_staged_masked_fill(static_cast<const MaskedFillCall*>(there.const_data_ptr()),
                              result.numel(), current_stream());
  } else {
    launch_masked_fill(make, call, current_stream());
  }
  if (make != Make::kErrorLeftBehind) check_launch();
}

template <Make kMake>
Tensor masked_fill(const Tensor& self, const Tensor& mask, const at::Scalar& value) {
  const at::DimVector shape = joint_shape(self, mask);
  const c10::cuda::CUDAGuard guard(self.device());
  const Tensor result = self.expand(shape).clone(at::MemoryFormat::Contiguous);
  fill(kMake, result, mask, at::full({}, value, self.options()));
  return result;
}

template <Make kMake>
Tensor& masked_fill_in_place(Tensor& self, const Tensor& mask, const at::Scalar& value) {
  TORCH_CHECK(at::IntArrayRef(joint_shape(self, mask)) == self.sizes(), "mask of shape ",
              mask.sizes(), " does not broadcast to self of shape ", self.sizes());
  check_written(self, {&mask});
  const c10::cuda::CUDAGuard guard(self.device());
  fill(kMake, self, mask, at::full({}, value, self.options()));
  return self;
}

/// The overload whose value is a 0-dim tensor, which may also be on the host.
template <Make kMake>
Tensor masked_fill_tensor(const Tensor& self, const Tensor& mask, const Tensor& value) {
  TORCH_CHECK(value.dim() == 0, "masked_fill: the value has dimensions");
  TORCH_CHECK(self.is_complex() || self.scalar_type() == at::kBool || !value.is_complex(),
              "masked_fill: a complex value does not fit self, which is ", self.scalar_type());
  const at::DimVector shape = joint_shape(self, mask);
  const c10::cuda::CUDAGuard guard(self.device());
  const Tensor result = self.expand(shape).clone(at::MemoryFormat::Contiguous);
  fill(kMake, result, mask,
       kMake == Make::kValueOnHost ? value.to(self.scalar_type())
                                   : value.to(self.device(), self.scalar_type()));
  return result;
}

constexpr const char* kScalar = "(Tensor self, Tensor mask, Scalar value) -> Tensor";
constexpr const char* kInPlace = "(Tensor(a!) self, Tensor mask, Scalar value) -> Tensor(a!)";
constexpr const char* kTensor = "(Tensor self, Tensor mask, Tensor value) -> Tensor";

TORCH_LIBRARY_FRAGMENT(planted_cuda, m) {
  define(m, "masked_fill_value_on_host", kTensor, masked_fill_tensor<Make::kValueOnHost>);
  define(m, "masked_fill_mask_in_items", kScalar, masked_fill<Make::kMaskInItems>);
  define(m, "masked_fill_error_left_behind_", kInPlace,
         masked_fill_in_place<Make::kErrorLeftBehind>);
  define(m, "masked_fill_staged", kScalar, masked_fill<Make::kStaged>);
}

TORCH_LIBRARY_FRAGMENT(correct_cuda, m) {
  define(m, "masked_fill_strided", kScalar, masked_fill<Make::kReference>);
  define(m, "masked_fill_strided_", kInPlace, masked_fill_in_place<Make::kReference>);
  define(m, "masked_fill_staged_awaited", kScalar, masked_fill<Make::kStagedAwaited>);
  define(m, "masked_fill_few_blocks", kTensor, masked_fill_tensor<Make::kFewBlocks>);
}

}  // namespace
}  // namespace planted_cuda
