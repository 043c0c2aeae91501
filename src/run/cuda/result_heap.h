#pragma once
// What kernels allocate: results and scratch, between canaries, from one piece of memory that is
// written over with canaries for every batch.

#include <cuda_runtime_api.h>

#include <atomic>
#include <cstdint>
#include <vector>

namespace indexfuzz::cuda {

/// Serves allocations in a row, aligned to 512 bytes as PyTorch's allocator does, and uses no
/// memory twice within a batch, so that fresh memory holds canaries. Not thread-safe.
class ResultHeap {
 public:
  struct Allocation {
    unsigned char* begin;
    std::int64_t bytes;
    cudaStream_t stream;  ///< in whose order it may be used, and its memory anew
    int owner;
    bool live;
    bool separate;      ///< too large for the heap: cudaMalloc's
    bool kept = false;  ///< another stream was said to use it as well
  };

  explicit ResultHeap(std::int64_t bytes) : bytes_(bytes) {}
  ResultHeap(const ResultHeap&) = delete;
  ResultHeap& operator=(const ResultHeap&) = delete;

  cudaError_t open();
  /// Null where memory is used up, and for 0 bytes.
  void* allocate(std::size_t bytes, cudaStream_t stream);
  /// What a call gives back is written over at once, in the order of its stream, as by whatever
  /// gets it next: a kernel that still reads it on another stream reads canaries.
  void overwrite_released(bool overwrite) { overwrite_released_ = overwrite; }
  /// Says that another stream uses it as well: then it is not written over.
  void keep(void* pointer);
  void release(void* pointer);

  /// Whose allocations come next: those of lane 0's call also where another thread makes them, as a
  /// kernel's own. For any thread at any time.
  void set_owner(int lane, int owner);
  /// How many have not been released.
  std::int64_t live() const;
  /// Gives what was too large for the heap and has been released back to the device.
  void free_separate();
  /// Forgets what is no longer live and writes canaries over all that was used.
  cudaError_t begin_batch(cudaStream_t stream);
  /// Of this batch, and what lives on from earlier ones.
  const std::vector<Allocation>& allocations() const { return allocations_; }

 private:
  int owner() const;

  std::int64_t bytes_;
  unsigned char* begin_ = nullptr;
  std::int64_t first_ = 0;  ///< what lives on ends here
  std::int64_t used_ = 0;
  std::int64_t dirty_ = 0;       ///< beyond it there are canaries only
  std::atomic<int> owner_ = -1;  ///< lane 0's
  bool overwrite_released_ = false;
  std::vector<Allocation> allocations_;
};

}  // namespace indexfuzz::cuda
