// Whether a GPU works for this process. If it has to wait for the driver or for a turn, it waits
// here.

#include <cuda_runtime_api.h>

#include "run/cuda/device_error.h"
#include "run/device/device.h"

namespace {

// More than the driver keeps in reserve.
constexpr std::size_t kBytes = std::size_t{4} << 20;

cudaError_t take_memory_and_work(int index) {
  cudaError_t error = cudaSetDevice(index);
  void* memory = nullptr;
  if (error == cudaSuccess) error = cudaMalloc(&memory, kBytes);
  if (error == cudaSuccess) error = cudaMemset(memory, 0, kBytes);
  if (error == cudaSuccess) error = cudaDeviceSynchronize();
  const cudaError_t freed = cudaFree(memory);
  return error == cudaSuccess ? freed : error;
}

}  // namespace

extern "C" void indexfuzz_try_device(int index, indexfuzz::DeviceError& error) {
  error = indexfuzz::cuda::error_of(take_memory_and_work(index));
}
