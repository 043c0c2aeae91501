#pragma once
// A CUDA error as a DeviceError.

#include <cuda_runtime_api.h>

#include "run/device/device.h"

namespace indexfuzz::cuda {

inline DeviceError error_of(cudaError_t code) {
  if (code == cudaSuccess) return {};
  return {static_cast<int>(code), cudaGetErrorString(code)};
}

}  // namespace indexfuzz::cuda
