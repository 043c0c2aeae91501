#include "run/cuda/staged_bytes.h"

#include <algorithm>

#include "run/device/staging.h"

namespace indexfuzz::cuda {
namespace {

/// The first part of the staged bytes, which few batches exceed, is pinned; pinning pages takes a
/// third of a millisecond per MiB.
constexpr std::int64_t kPinnedBytes = std::int64_t{4} << 20;

}  // namespace

cudaError_t StagedBytes::open() {
  return cudaMalloc(reinterpret_cast<void**>(&device_), kStagedBytes);
}

void StagedBytes::begin(const std::byte* staged) {
  from_ = staged;
  first_ = kStagedBytes;
  end_ = 0;
  if (std::ranges::find(pinned_, staged) != pinned_.end()) return;
  pinned_.push_back(staged);
  // If the system does not permit it, the driver copies indirectly.
  cudaHostRegister(const_cast<std::byte*>(staged), kPinnedBytes, cudaHostRegisterDefault);
  cudaGetLastError();
}

void StagedBytes::unpin() {
  for (const std::byte* const staged : pinned_) cudaHostUnregister(const_cast<std::byte*>(staged));
  cudaGetLastError();
  pinned_.clear();
}

std::int64_t StagedBytes::take(const std::byte* bytes, std::int64_t count) {
  const std::int64_t offset = offset_of(bytes);
  first_ = std::min(first_, offset / 16 * 16);
  end_ = std::max(end_, offset + count);
  return offset;
}

cudaError_t StagedBytes::upload(cudaStream_t stream, std::uint64_t& copies) {
  first_ = std::min(first_, end_);
  const std::int64_t pinned_end = std::clamp(kPinnedBytes, first_, end_);
  const cudaError_t error = send(first_, pinned_end, stream, copies);
  return error != cudaSuccess ? error : send(pinned_end, end_, stream, copies);
}

cudaError_t StagedBytes::send(std::int64_t first, std::int64_t end, cudaStream_t stream,
                              std::uint64_t& copies) {
  if (first == end) return cudaSuccess;
  ++copies;
  return cudaMemcpyAsync(device_ + first, from_ + first, static_cast<std::size_t>(end - first),
                         cudaMemcpyHostToDevice, stream);
}

}  // namespace indexfuzz::cuda
