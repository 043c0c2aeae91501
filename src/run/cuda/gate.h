#pragma once
// A wait on a stream that outlasts what the host does meanwhile.

#include <cuda_runtime_api.h>

#include <chrono>

namespace indexfuzz::cuda {

/// Keeps a stream busy: what is launched behind `keep_shut` runs some time after the host has gone
/// on, so that who does not wait for it comes too early.
class Gate {
 public:
  /// Opens by itself after 200 µs.
  cudaError_t keep_shut(cudaStream_t stream);
  void forget() { shut_until_ = {}; }

 private:
  std::chrono::steady_clock::time_point shut_until_{};
};

}  // namespace indexfuzz::cuda
