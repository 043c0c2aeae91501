#pragma once

#include "tensor.h"

namespace planted_cuda {

/// Room for one number per block of 64 elements and their sum.
inline Tensor allocate_begins(int64_t n, const Tensor& self) {
  return at::empty({(n + 63) / 64 + 1}, self.options().dtype(at::kLong));
}

/// The sum that launch_begins() writes. Waits for it.
inline int64_t read_sum(const Tensor& begins, int64_t n) {
  int64_t sum = 0;
  const int64_t* from = begins.const_data_ptr<int64_t>() + (n + 63) / 64;
  C10_CUDA_CHECK(cudaMemcpyAsync(&sum, from, sizeof sum, cudaMemcpyDeviceToHost, current_stream()));
  C10_CUDA_CHECK(cudaStreamSynchronize(current_stream()));
  return sum;
}

}  // namespace planted_cuda
