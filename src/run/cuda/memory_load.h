#pragma once
// Other work on the GPU, which makes the time of loads vary.

#include <cuda_runtime_api.h>

#include <cstdint>

namespace indexfuzz::cuda {

/// Owns a stream on which memory is read in random order while calls run on others. The warps of a
/// block then no longer run in step, which exposes a kernel in which one warp forgets to wait for
/// another.
class MemoryLoad {
 public:
  /// Begins to read these bytes in random order, whatever is written there meanwhile. The reads end
  /// with stop() or after 20 ms, so that a call that waits for the whole device is not kept longer.
  /// Returns when they have begun, or after 1 ms if the GPU is busy with other work.
  cudaError_t start(const unsigned char* memory, std::int64_t bytes);
  /// Returns when the reads have ended; does nothing if they were not started.
  cudaError_t stop();

 private:
  cudaError_t open();

  cudaStream_t stream_ = nullptr;
  /// Pinned: whether the reads are under way, and whether they must end.
  volatile int *begun_ = nullptr, *stopped_ = nullptr;
  unsigned* sink_ = nullptr;
  bool runs_ = false;
};

}  // namespace indexfuzz::cuda
