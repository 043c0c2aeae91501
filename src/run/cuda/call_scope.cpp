#include "run/cuda/call_scope.h"

namespace indexfuzz::cuda {

cudaError_t CallScope::begin(const GpuSettings& settings, std::chrono::microseconds busy_for) {
  settings_ = settings;
  gate_.open(busy_for);
  other_ = -1;
  int count = 0;
  if (settings.other_device && cudaGetDeviceCount(&count) == cudaSuccess && count > 1)
    other_ = (index_ + 1) % count;
  if (other_ >= 0) {
    // Its context is made here, for that takes longer than a call may.
    cudaError_t error = cudaSetDevice(other_);
    if (error == cudaSuccess) error = cudaFree(nullptr);
    if (error == cudaSuccess) error = cudaSetDevice(index_);
    if (error != cudaSuccess) return error;
  }
  if (!settings.side_stream || side_ != nullptr) return cudaSuccess;
  return cudaStreamCreateWithFlags(&side_, cudaStreamNonBlocking);
}

void CallScope::enter() const {
  const auto index = static_cast<c10::DeviceIndex>(index_);
  if (is_busy()) c10::cuda::setCurrentCUDAStream(c10::cuda::getStreamFromExternal(side_, index));
  if (other_ >= 0) c10::cuda::SetDevice(static_cast<c10::DeviceIndex>(other_));
}

void CallScope::leave() const {
  const auto index = static_cast<c10::DeviceIndex>(index_);
  if (other_ >= 0) c10::cuda::SetDevice(index);
  if (is_busy()) c10::cuda::setCurrentCUDAStream(c10::cuda::getDefaultCUDAStream(index));
}

cudaError_t CallScope::wait() const {
  cudaError_t error = is_busy() ? cudaDeviceSynchronize() : cudaStreamSynchronize(stream());
  if (other_ < 0 || error != cudaSuccess) return error;
  // A kernel that went to the other device faults there.
  error = cudaSetDevice(other_);
  if (error == cudaSuccess) error = cudaDeviceSynchronize();
  const cudaError_t back = cudaSetDevice(index_);
  return error != cudaSuccess ? error : back;
}

}  // namespace indexfuzz::cuda
