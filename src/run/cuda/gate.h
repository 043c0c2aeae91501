#pragma once
// Keeps streams busy for longer than the host takes to go on.

#include <cuda_runtime_api.h>

#include <chrono>
#include <span>

namespace indexfuzz::cuda {

/// Keeps a stream busy: what is launched on it after keep_shut() runs some time after the host has
/// gone on. Work that should wait for the stream and does not runs too early, which shows. The
/// `others` are streams to which a kernel may hand a part of its work. They stay busy a little
/// longer, so that a kernel that goes on without waiting for them is too early as well. If there
/// are others, the first keep_shut() after open() keeps the default stream busy, too.
class Gate {
 public:
  /// The gate is open now; once shut, it opens by itself after `wait`.
  void open(std::chrono::microseconds wait) {
    wait_ = wait;
    shut_until_ = others_until_ = {};
  }
  cudaError_t keep_shut(cudaStream_t stream, std::span<const cudaStream_t> others);

 private:
  std::chrono::microseconds wait_{};
  std::chrono::steady_clock::time_point shut_until_{};
  std::chrono::steady_clock::time_point others_until_{};  ///< they outlast a gate shut before then
};

}  // namespace indexfuzz::cuda
