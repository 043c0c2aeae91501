#pragma once
// The torch side of the kernels: views of tensors, and the checks that every call makes.

#include <ATen/MemoryOverlap.h>
#include <ATen/core/Tensor.h>
#include <ATen/native/Resize.h>
#include <ATen/ops/empty.h>
#include <c10/core/WrapDimMinimal.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/library.h>

#include <algorithm>
#include <string>

#include "view.h"

namespace planted_cuda {

using at::Tensor;

/// A shape without memory.
inline View shape_of(at::IntArrayRef sizes) {
  TORCH_CHECK(sizes.size() <= kMaxRank, "at most ", kMaxRank, " dimensions are taken, got ",
              sizes.size());
  View view{};
  view.rank = static_cast<int>(sizes.size());
  std::copy(sizes.begin(), sizes.end(), view.sizes);
  return view;
}

inline View view_of(const Tensor& tensor) {
  View view = shape_of(tensor.sizes());
  view.data = static_cast<char*>(const_cast<void*>(tensor.const_data_ptr()));
  view.item = static_cast<int>(tensor.element_size());
  std::copy(tensor.strides().begin(), tensor.strides().end(), view.strides);
  return view;
}

/// A 0-dim tensor counts as one dimension of size 1, as in ATen's index_select, gather and
/// scatter_add.
inline View view_1d(const Tensor& tensor) {
  View view = view_of(tensor);
  if (view.rank > 0) return view;
  view.rank = 1;
  view.sizes[0] = view.strides[0] = 1;
  return view;
}

inline void check_index_dtype(const Tensor& index) {
  TORCH_CHECK(index.scalar_type() == at::kInt || index.scalar_type() == at::kLong,
              "expected int32 or int64 for the index, got ", index.scalar_type());
}

/// Throws unless both are on one device: a kernel cannot follow a pointer to another one's memory.
inline void check_device(const Tensor& self, const Tensor& other) {
  TORCH_CHECK(self.device() == other.device(), "expected all tensors on one device, got ",
              self.device(), " and ", other.device());
}

/// Throws unless the kernels compute in self's dtype. Those that only move elements take any.
inline void check_dtype(const char* name, const Tensor& self) {
  const at::ScalarType dtype = self.scalar_type();
  TORCH_CHECK_NOT_IMPLEMENTED(dtype == at::kBool || dtype == at::kByte || dtype == at::kChar ||
                                  dtype == at::kShort || dtype == at::kInt || dtype == at::kLong ||
                                  dtype == at::kHalf || dtype == at::kBFloat16 ||
                                  dtype == at::kFloat || dtype == at::kDouble ||
                                  dtype == at::kComplexFloat || dtype == at::kComplexDouble,
                              name, " is not implemented for '", dtype, "'");
}

inline void check_written(const Tensor& written, std::initializer_list<const Tensor*> inputs) {
  at::assert_no_internal_overlap(written);
  for (const Tensor* input : inputs) at::assert_no_overlap(written, *input);
}

/// Throws if the launch before it was refused.
inline void check_launch() {
  C10_CUDA_KERNEL_LAUNCH_CHECK();
}

inline cudaStream_t current_stream() {
  return c10::cuda::getCurrentCUDAStream();
}

/// Registers one kernel for CUDA: `arguments` is the schema from its opening parenthesis on.
template <class Kernel>
void define(torch::Library& library, const char* name, const char* arguments, Kernel* kernel) {
  library.def((std::string(name) + arguments).c_str(),
              torch::dispatch(c10::DispatchKey::CUDA, kernel));
}

}  // namespace planted_cuda
