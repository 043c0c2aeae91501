#pragma once
// What is current while a call runs: the stream and the device.

#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAStream.h>
#include <cuda_runtime_api.h>

#include <vector>

#include "case/gpu_settings.h"
#include "run/cuda/gate.h"
#include "run/device/device.h"

namespace indexfuzz::cuda {

/// Of the calls that one thread makes on a GPU: owns their stream, unless that is the default one,
/// and makes it and the device current.
class CallScope {
 public:
  /// `on_default_stream`: calls go to PyTorch's default stream where they need no busy one.
  CallScope(int index, bool on_default_stream)
      : index_(index), on_default_stream_(on_default_stream) {}
  CallScope(const CallScope&) = delete;
  CallScope& operator=(const CallScope&) = delete;

  /// For the calls of the batch that begins. Where there is one GPU, that is always current.
  cudaError_t begin(const GpuSettings& settings, BusyStreams busy);
  bool is_busy() const { return settings_.side_stream; }
  /// Where the calls' work belongs.
  cudaStream_t stream() const { return has_own_stream() ? own_ : cudaStreamLegacy; }
  /// Where it is busy: keeps the streams so.
  cudaError_t keep_busy() { return gate_.keep_shut(own_, pool_); }
  void enter() const;
  /// Also where the call has changed what is current.
  void leave() const;
  /// Lets what is launched on its stream next wait for what was launched on the other's.
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
  std::vector<cudaStream_t> pool_;  ///< PyTorch's, where they are to be busy too
  cudaEvent_t launched_ = nullptr;
  Gate gate_;
};

}  // namespace indexfuzz::cuda
