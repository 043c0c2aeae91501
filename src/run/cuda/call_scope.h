#pragma once
// What is current while a call runs: the stream and the device.

#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAStream.h>
#include <cuda_runtime_api.h>

#include "case/gpu_settings.h"
#include "run/cuda/gate.h"

namespace indexfuzz::cuda {

/// Owns the busy stream of one GPU, and makes it and another device current for calls.
class CallScope {
 public:
  explicit CallScope(int index) : index_(index) {}
  CallScope(const CallScope&) = delete;
  CallScope& operator=(const CallScope&) = delete;

  /// For the calls of the batch that begins. Where there is one GPU, that is always current.
  cudaError_t begin(const GpuSettings& settings, std::chrono::microseconds busy_for);
  bool is_busy() const { return settings_.side_stream; }
  /// Where the batch's own work belongs.
  cudaStream_t stream() const { return is_busy() ? side_ : cudaStreamLegacy; }
  /// Where it is busy: keeps the stream so.
  cudaError_t keep_busy() { return gate_.keep_shut(side_); }
  void enter() const;
  /// Also where the call has changed what is current.
  void leave() const;
  /// Waits for all work of the batch, wherever it was launched.
  cudaError_t wait() const;

 private:
  int index_;
  int other_ = -1;  ///< the device that is current during calls; -1: index_
  GpuSettings settings_;
  cudaStream_t side_ = nullptr;
  Gate gate_;
};

}  // namespace indexfuzz::cuda
