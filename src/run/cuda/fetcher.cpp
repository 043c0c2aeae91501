#include "run/cuda/fetcher.h"

#include <algorithm>
#include <cstring>

namespace indexfuzz::cuda {
namespace {

constexpr std::int64_t kPackedBytes = std::int64_t{24} << 20;
constexpr std::int64_t kTableBytes = std::int64_t{1} << 20;

}  // namespace

Fetcher::Fetcher() : packed_(kPackedBytes), table_(kTableBytes) {}

cudaError_t Fetcher::open() {
  const cudaError_t error = packed_.open();
  return error != cudaSuccess ? error : table_.open();
}

cudaError_t Fetcher::fetch(std::span<const DeviceCopy> copies, cudaStream_t stream,
                           DeviceCounts& counts) {
  for (std::size_t done = 0; done < copies.size();) {
    const std::size_t some = pack_some(copies.subspan(done));
    // A piece that does not fit into an empty buffer never will.
    if (some == 0) return cudaErrorMemoryAllocation;
    const std::int64_t at = table_.append(std::span<const FetchPiece>(pieces_));
    if (at < 0) return cudaErrorMemoryAllocation;
    cudaError_t error = table_.upload(stream);
    if (error == cudaSuccess) {
      error =
          pack(table_.on_device<FetchPiece>(at), pieces_.size(), packed_.device_bytes(), stream);
    }
    if (error == cudaSuccess) error = packed_.download(packed_bytes_, stream);
    if (error == cudaSuccess) error = cudaStreamSynchronize(stream);
    if (error != cudaSuccess) return error;
    counts.copies += 2;
    ++counts.synchronizations;
    std::int64_t from = 0;
    for (const DeviceCopy& copy : copies.subspan(done, some)) {
      std::memcpy(copy.to, packed_.host() + from, static_cast<std::size_t>(copy.bytes));
      from += copy.bytes;
    }
    done += some;
  }
  return cudaSuccess;
}

/// Makes pieces of as many copies as the buffers hold; says of how many.
std::size_t Fetcher::pack_some(std::span<const DeviceCopy> copies) {
  pieces_.clear();
  table_.clear();
  packed_bytes_ = 0;
  std::size_t count = 0;
  for (const DeviceCopy& copy : copies) {
    const auto pieces = static_cast<std::size_t>(copy.bytes / kPieceBytes + 1);
    const auto table = static_cast<std::int64_t>((pieces_.size() + pieces) * sizeof(FetchPiece));
    if (packed_bytes_ + copy.bytes > kPackedBytes || !table_.fits(table)) break;
    const auto* const from = reinterpret_cast<const unsigned char*>(copy.from);
    for (std::int64_t at = 0; at < copy.bytes; at += kPieceBytes)
      pieces_.push_back({from + at, packed_bytes_ + at, std::min(kPieceBytes, copy.bytes - at)});
    packed_bytes_ += copy.bytes;
    ++count;
  }
  return count;
}

}  // namespace indexfuzz::cuda
