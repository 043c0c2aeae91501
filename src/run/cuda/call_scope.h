#pragma once
// What is current while a call runs: the stream and the device.

#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAStream.h>
#include <cuda_runtime_api.h>

#include <span>
#include <vector>

#include "case/gpu_settings.h"
#include "run/cuda/gate.h"
#include "run/device/device.h"

namespace indexfuzz::cuda {

/// The stream and the device of the calls that one thread makes on a GPU. Owns the stream, unless
/// it is the default one, and makes both current.
class CallScope {
 public:
  /// `on_default_stream`: calls go to PyTorch's default stream unless they need a busy one.
  CallScope(int index, bool on_default_stream)
      : index_(index), on_default_stream_(on_default_stream) {}
  CallScope(const CallScope&) = delete;
  CallScope& operator=(const CallScope&) = delete;

  /// Prepares the calls of the batch that begins. With a single GPU, that one is always current.
  cudaError_t begin(const GpuSettings& settings, BusyStreams busy);
  bool is_busy() const { return settings_.side_stream; }
  /// The stream of the calls' work.
  cudaStream_t stream() const { return has_own_stream() ? own_ : cudaStreamLegacy; }
  /// Keeps the streams busy, if is_busy().
  cudaError_t keep_busy() { return gate_.keep_shut(own_, others_); }
  void enter() const;
  /// Makes the device and its default stream current again if enter() has changed them.
  void leave() const;
  /// Lets what is launched next on its stream wait for what was launched on the stream of `other`.
  cudaError_t wait_for(const CallScope& other) const;
  /// Waits for all work of the batch, wherever it was launched.
  cudaError_t wait() const;

 private:
  bool has_own_stream() const { return is_busy() || !on_default_stream_; }

  int index_;
  bool on_default_stream_;
  int other_ = -1;  ///< the device that is current during calls; -1: index_
  GpuSettings settings_;
  cudaStream_t own_ = nullptr;
  std::vector<cudaStream_t> pool_;        ///< PyTorch's, once a batch has asked for them
  std::span<const cudaStream_t> others_;  ///< those that are busy too in this batch
  cudaEvent_t launched_ = nullptr;
  Gate gate_;
};

}  // namespace indexfuzz::cuda
