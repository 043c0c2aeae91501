#pragma once

#include <algorithm>

#include "launch.h"

namespace kernels {

inline LaunchError words_for(cudaError_t error) {
  return error == cudaSuccess ? nullptr : cudaGetErrorString(error);
}

template <class Body>
__global__ void each(const __grid_constant__ Body body, std::int64_t count) {
  const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step)
    body(i);
}

/// Runs a body for every i below `count`, which is at least 1.
struct OnDevice {
  std::int64_t count;
  Stream stream;

  template <class Body>
  LaunchError operator()(const Body& body) const {
    constexpr int kThreads = 256;
    constexpr std::int64_t kMaxBlocks = 1 << 20;
    const auto blocks =
        static_cast<unsigned>(std::min((count + kThreads - 1) / kThreads, kMaxBlocks));
    each<<<blocks, kThreads, 0, stream>>>(body, count);
    return words_for(cudaGetLastError());
  }
};

/// Asks a CUB algorithm how much memory it needs, and runs it with that.
template <class Algorithm>
LaunchError run_with_memory(const Scratch& scratch, const Algorithm& algorithm) {
  std::size_t bytes = 0;
  const cudaError_t error = algorithm(nullptr, bytes);
  if (error != cudaSuccess) return words_for(error);
  return words_for(algorithm(scratch(bytes), bytes));
}

}  // namespace kernels
