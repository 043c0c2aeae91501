#pragma once
// A wait on a stream that outlasts what the host does meanwhile.

#include <cuda_runtime_api.h>

#include <chrono>
#include <span>

namespace indexfuzz::cuda {

/// Keeps a stream busy: what is launched after keep_shut() runs some time after the host has gone
/// on, so that a call that does not wait for it comes too early. Other streams, to which a kernel
/// may hand a part of its work, stay busy a little longer: a kernel that does not wait for them
/// comes too early as well. If there are others, the default stream stays busy too, the first time
/// after open().
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
