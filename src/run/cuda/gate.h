#pragma once
// A wait on a stream that outlasts what the host does meanwhile.

#include <cuda_runtime_api.h>

#include <chrono>

namespace indexfuzz::cuda {

/// Keeps a stream busy: what is launched behind `keep_shut` runs some time after the host has gone
/// on, so that a call that does not wait for it comes too early.
class Gate {
 public:
  /// It opens by itself so long after it was shut; it is open now.
  void open(std::chrono::microseconds wait) {
    wait_ = wait;
    shut_until_ = {};
  }
  cudaError_t keep_shut(cudaStream_t stream);

 private:
  std::chrono::microseconds wait_{};
  std::chrono::steady_clock::time_point shut_until_{};
};

}  // namespace indexfuzz::cuda
