#include "run/cuda/call_scope.h"

#include <algorithm>

namespace indexfuzz::cuda {
namespace {

/// PyTorch hands out the streams of its pool in turns.
std::vector<cudaStream_t> streams_of_pool(int index) {
  std::vector<cudaStream_t> streams;
  while (true) {
    const auto next =
        c10::cuda::getStreamFromPool(false, static_cast<c10::DeviceIndex>(index)).stream();
    if (std::ranges::find(streams, next) != streams.end()) return streams;
    streams.push_back(next);
  }
}

}  // namespace

cudaError_t CallScope::begin(const GpuSettings& settings, BusyStreams busy) {
  settings_ = settings;
  gate_.open(busy.at_a_time);
  other_ = -1;
  others_ = {};
  if (is_busy() && busy.pool_too && !settings.idle_others) {
    if (pool_.empty()) pool_ = streams_of_pool(index_);
    others_ = pool_;
  }
  int count = 0;
  if (settings.other_device && cudaGetDeviceCount(&count) == cudaSuccess && count > 1)
    other_ = (index_ + 1) % count;
  if (other_ >= 0) {
    // Its context is made here, since that takes longer than a call may.
    cudaError_t error = cudaSetDevice(other_);
    if (error == cudaSuccess) error = cudaFree(nullptr);
    if (error == cudaSuccess) error = cudaSetDevice(index_);
    if (error != cudaSuccess) return error;
  }
  cudaError_t error = cudaSuccess;
  if (launched_ == nullptr) error = cudaEventCreateWithFlags(&launched_, cudaEventDisableTiming);
  if (error != cudaSuccess || !has_own_stream() || own_ != nullptr) return error;
  return cudaStreamCreateWithFlags(&own_, cudaStreamNonBlocking);
}

void CallScope::enter() const {
  const auto index = static_cast<c10::DeviceIndex>(index_);
  if (has_own_stream())
    c10::cuda::setCurrentCUDAStream(c10::cuda::getStreamFromExternal(own_, index));
  // A new thread's current device is the first one.
  if (other_ >= 0 || !on_default_stream_)
    c10::cuda::SetDevice(other_ >= 0 ? static_cast<c10::DeviceIndex>(other_) : index);
}

void CallScope::leave() const {
  const auto index = static_cast<c10::DeviceIndex>(index_);
  if (other_ >= 0) c10::cuda::SetDevice(index);
  if (has_own_stream()) c10::cuda::setCurrentCUDAStream(c10::cuda::getDefaultCUDAStream(index));
}

cudaError_t CallScope::wait_for(const CallScope& other) const {
  const cudaError_t error = cudaEventRecord(other.launched_, other.stream());
  return error != cudaSuccess ? error : cudaStreamWaitEvent(stream(), other.launched_);
}

cudaError_t CallScope::wait() const {
  cudaError_t error = is_busy() ? cudaDeviceSynchronize() : cudaStreamSynchronize(stream());
  if (other_ < 0 || error != cudaSuccess) return error;
  // A kernel that ran on the other device faults there.
  error = cudaSetDevice(other_);
  if (error == cudaSuccess) error = cudaDeviceSynchronize();
  const cudaError_t back = cudaSetDevice(index_);
  return error != cudaSuccess ? error : back;
}

}  // namespace indexfuzz::cuda
