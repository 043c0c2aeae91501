#pragma once
// What kernels allocate on a GPU, results and scratch, between canaries.

#include <cuda_runtime_api.h>

#include <atomic>
#include <cstdint>
#include <vector>

namespace indexfuzz::cuda {

/// Serves allocations one after the other from a single piece of memory, aligned to 512 bytes as
/// PyTorch's allocator does. Memory is used only once within a batch, so that fresh memory holds
/// canaries; begin_batch() restores them. Not thread-safe.
class ResultHeap {
 public:
  struct Allocation {
    unsigned char* begin;
    std::int64_t bytes;
    cudaStream_t stream;  ///< in whose order it is used, and its memory reused
    int owner;
    bool live;
    bool separate;      ///< too large for the heap: cudaMalloc's
    bool kept = false;  ///< another stream uses it as well
  };

  explicit ResultHeap(std::int64_t bytes) : bytes_(bytes) {}
  ResultHeap(const ResultHeap&) = delete;
  ResultHeap& operator=(const ResultHeap&) = delete;

  cudaError_t open();
  /// Null if memory is used up, and for 0 bytes.
  void* allocate(std::size_t bytes, cudaStream_t stream);
  /// Whether memory that a call releases is overwritten at once, in the order of its stream, as its
  /// next user would do. A kernel that still reads it on another stream then reads canaries.
  void overwrite_released(bool overwrite) { overwrite_released_ = overwrite; }
  /// Says that another stream uses an allocation as well: then it is not overwritten.
  void keep(void* pointer);
  void release(void* pointer);

  /// Sets the owner of the allocations that the lane's call makes next. Allocations by threads that
  /// belong to no lane, such as a kernel's own, go to lane 0's owner. For any thread at any time.
  void set_owner(int lane, int owner);
  /// How many have not been released.
  std::int64_t live() const;
  /// Gives back to the device what was too large for the heap and has been released.
  void free_separate();
  /// Forgets what is no longer live, and writes canaries over what was used after the last live
  /// one.
  cudaError_t begin_batch(cudaStream_t stream);
  /// The allocations of this batch, and the live ones of earlier batches.
  const std::vector<Allocation>& allocations() const { return allocations_; }

 private:
  int owner() const;

  std::int64_t bytes_;
  unsigned char* begin_ = nullptr;
  std::int64_t first_ = 0;  ///< the end of what lives on from earlier batches
  std::int64_t used_ = 0;
  std::int64_t dirty_ = 0;       ///< beyond it there are canaries only
  std::atomic<int> owner_ = -1;  ///< lane 0's
  bool overwrite_released_ = false;
  std::vector<Allocation> allocations_;
};

}  // namespace indexfuzz::cuda
