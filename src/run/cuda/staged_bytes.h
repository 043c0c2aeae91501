#pragma once
// What a batch sends to the device: a stretch of host memory that others fill, and its copy there.

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace indexfuzz::cuda {

class StagedBytes {
 public:
  cudaError_t open();

  /// Begins a batch whose bytes lie in the kStagedBytes bytes from `staged` on. A part of memory
  /// that is passed for the first time is pinned, so that the driver copies from it directly.
  void begin(const std::byte* staged);
  /// To be called before any of that memory is unmapped.
  void unpin();

  /// The offset of a staged address in on_device().
  std::int64_t offset_of(const void* staged) const {
    return static_cast<const std::byte*>(staged) - from_;
  }
  /// Marks these bytes to be sent; returns their offset.
  std::int64_t take(const std::byte* bytes, std::int64_t count);
  /// Sends the bytes that were taken, and those between them. Adds to `copies` how many copies that
  /// took.
  cudaError_t upload(cudaStream_t stream, std::uint64_t& copies);

  unsigned char* on_device() const { return device_; }

 private:
  cudaError_t send(std::int64_t first, std::int64_t end, cudaStream_t stream,
                   std::uint64_t& copies);

  unsigned char* device_ = nullptr;
  const std::byte* from_ = nullptr;
  std::int64_t first_ = 0, end_ = 0;
  std::vector<const std::byte*> pinned_;
};

}  // namespace indexfuzz::cuda
