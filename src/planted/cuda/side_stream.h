#pragma once

#include <ATen/cuda/CUDAEvent.h>
#include <c10/cuda/CUDAStream.h>

#include <array>
#include <optional>

namespace planted_cuda {

/// A stream from PyTorch's pool: one per thread and device, the same in every call.
inline c10::cuda::CUDAStream side_stream(c10::Device device) {
  static thread_local std::array<std::optional<c10::cuda::CUDAStream>, 64> streams;
  std::optional<c10::cuda::CUDAStream>& stream = streams.at(device.index());
  if (!stream) stream = c10::cuda::getStreamFromPool(false, device.index());
  return *stream;
}

/// A stream that is not PyTorch's, created without flags: one per thread and device.
inline c10::cuda::CUDAStream stream_without_flags(c10::Device device) {
  static thread_local std::array<cudaStream_t, 64> streams{};
  cudaStream_t& stream = streams.at(device.index());
  if (stream == nullptr) C10_CUDA_CHECK(cudaStreamCreate(&stream));
  return c10::cuda::getStreamFromExternal(stream, device.index());
}

/// Work that is launched on `later` from here on waits for the work now on `earlier`.
inline void wait_for(const c10::cuda::CUDAStream& later, const c10::cuda::CUDAStream& earlier) {
  at::cuda::CUDAEvent event;
  event.record(earlier);
  event.block(later);
}

}  // namespace planted_cuda
