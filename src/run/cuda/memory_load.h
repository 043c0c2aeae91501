#pragma once
// Other work on the GPU, beside which loads take now a short time and now a long one.

#include <cuda_runtime_api.h>

#include <cstdint>

namespace indexfuzz::cuda {

/// Owns a stream on which memory is read all over while calls run on others. The warps of one block
/// then no longer go in step, so that a kernel that forgets to wait for another one is found out.
class MemoryLoad {
 public:
  /// Reads these bytes in no order, whatever anybody writes there meanwhile, until stop(), or for
  /// 20 ms: a call that waits for the whole device is not kept longer. Returns when it has begun.
  cudaError_t start(const unsigned char* memory, std::int64_t bytes);
  /// Returns when it has ended; nothing where it was not started.
  cudaError_t stop();

 private:
  cudaError_t open();

  cudaStream_t stream_ = nullptr;
  /// Pinned: whether it is under way, and whether it shall end.
  volatile int *begun_ = nullptr, *stopped_ = nullptr;
  unsigned* sink_ = nullptr;
  bool runs_ = false;
};

}  // namespace indexfuzz::cuda
