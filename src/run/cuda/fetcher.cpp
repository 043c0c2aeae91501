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
  for (Place next; next.copy < copies.size();) {
    next = pack_some(copies, next);
    if (pieces_.empty()) return cudaSuccess;  // nothing but copies of no bytes
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
    for (std::size_t i = 0; i < pieces_.size(); ++i)
      std::memcpy(to_[i], packed_.host() + pieces_[i].to,
                  static_cast<std::size_t>(pieces_[i].bytes));
  }
  return cudaSuccess;
}

/// Makes pieces from `place` on, as many as the buffers hold; returns where the rest begins.
Fetcher::Place Fetcher::pack_some(std::span<const DeviceCopy> copies, Place place) {
  pieces_.clear();
  to_.clear();
  table_.clear();
  packed_bytes_ = 0;
  while (place.copy < copies.size()) {
    const DeviceCopy& copy = copies[place.copy];
    if (place.byte == copy.bytes) {
      place = {place.copy + 1, 0};
      continue;
    }
    const std::int64_t bytes =
        std::min({kPieceBytes, copy.bytes - place.byte, kPackedBytes - packed_bytes_});
    const auto table = static_cast<std::int64_t>((pieces_.size() + 1) * sizeof(FetchPiece));
    if (bytes == 0 || !table_.fits(table)) break;
    const auto* const from = reinterpret_cast<const unsigned char*>(copy.from);
    pieces_.push_back({from + place.byte, packed_bytes_, bytes});
    to_.push_back(copy.to + place.byte);
    packed_bytes_ += bytes;
    place.byte += bytes;
  }
  return place;
}

}  // namespace indexfuzz::cuda
