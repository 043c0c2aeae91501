#include "run/cuda/checks.h"

#include "run/device/contributor.h"
#include "run/device/device_flags.h"

namespace indexfuzz::cuda {
namespace {

constexpr int kThreads = 128;

__global__ void place_pieces(const BlockPiece* pieces, const unsigned char* staged, bool pending) {
  const BlockPiece piece = pieces[blockIdx.x];
  const unsigned char* const from = staged + piece.extent;
  for (unsigned char* at = piece.begin + threadIdx.x; at < piece.end; at += kThreads) {
    const bool inside = at >= piece.extent_begin && at < piece.extent_end;
    *at = !inside ? piece.canary : pending ? piece.pending : from[at - piece.extent_begin];
  }
}

__global__ void compare_block_pieces(const BlockPiece* pieces, const unsigned char* staged,
                                     bool early, std::uint32_t* flags) {
  const BlockPiece piece = pieces[blockIdx.x];
  const unsigned char* const image = staged + piece.image;
  std::uint32_t seen = 0;
  for (const unsigned char* at = piece.begin + threadIdx.x; at < piece.end; at += kThreads) {
    if (at >= piece.extent_begin && at < piece.extent_end) {
      if (*at != image[at - piece.extent_begin]) seen |= kDeviceValue;
    } else if (*at != piece.canary) {
      seen |= kDeviceCanary;
    }
  }
  if (early) seen = (seen & kDeviceValue) != 0 ? kDeviceEarly : 0;
  if (seen != 0) atomicOr(&flags[piece.block], seen);
}

template <typename Word>
__device__ bool same(const unsigned char* a, const unsigned char* b) {
  return *reinterpret_cast<const Word*>(a) == *reinterpret_cast<const Word*>(b);
}

/// Elements are aligned to their size on both sides, 16-byte ones to 8.
__device__ bool same_element(const unsigned char* a, const unsigned char* b, int size) {
  switch (size) {
    case 1: return *a == *b;
    case 2: return same<std::uint16_t>(a, b);
    case 4: return same<std::uint32_t>(a, b);
    case 8: return same<std::uint64_t>(a, b);
    default: return same<std::uint64_t>(a, b) && same<std::uint64_t>(a + 8, b + 8);
  }
}

__device__ bool result_differs(const ResultPiece& piece, const unsigned char* staged,
                               std::int64_t first, std::int64_t step) {
  bool differs = false;
  for (std::int64_t i = first; i < piece.last; i += step) {
    std::int64_t rest = i, offset = 0;
    for (int d = piece.rank; d-- > 0;) {
      offset += rest % piece.shape[d] * piece.strides[d];
      rest /= piece.shape[d];
    }
    differs |= !same_element(piece.data + offset, staged + piece.expected + i * piece.item_size,
                             piece.item_size);
  }
  return differs;
}

__global__ void compare_result_pieces(const ResultPiece* pieces, const unsigned char* staged,
                                      std::uint32_t* flags) {
  const ResultPiece& piece = pieces[blockIdx.x];
  if (result_differs(piece, staged, piece.first + threadIdx.x, kThreads))
    atomicOr(&flags[piece.result], static_cast<std::uint32_t>(kDeviceValue));
}

__global__ void compare_whole_result(ResultPiece whole, const unsigned char* staged,
                                     std::uint32_t* flags) {
  const std::int64_t threads = static_cast<std::int64_t>(gridDim.x) * kThreads;
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (result_differs(whole, staged, first, threads))
    atomicOr(&flags[whole.result], static_cast<std::uint32_t>(kDeviceEarly));
}

__global__ void admit_pieces(const RivalPiece* pieces, unsigned char* staged) {
  const RivalPiece& piece = pieces[blockIdx.x];
  const auto* const contributors =
      reinterpret_cast<const Contributor*>(staged + piece.contributors);
  for (std::int64_t i = piece.first + threadIdx.x; i < piece.last; i += kThreads) {
    const Contributor& one = contributors[i];
    std::int64_t rest = one.element, from = 0, to = piece.expected;
    for (int d = piece.rank; d-- > 0;) {
      from += rest % piece.shape[d] * piece.strides[d];
      to += rest % piece.shape[d] * piece.expected_strides[d];
      rest /= piece.shape[d];
    }
    bool holds = true;
    for (int b = 0; b < piece.item_size; ++b) holds &= piece.data[from + b] == one.value[b];
    // Another contributor of the same value writes the same bytes.
    for (int b = 0; holds && b < piece.item_size; ++b) staged[to + b] = one.value[b];
  }
}

__global__ void pack_pieces(const FetchPiece* pieces, unsigned char* packed) {
  const FetchPiece piece = pieces[blockIdx.x];
  for (std::int64_t i = threadIdx.x; i < piece.bytes; i += kThreads)
    packed[piece.to + i] = piece.from[i];
}

__global__ void check_canary_pieces(const CanaryPiece* pieces, std::uint32_t* flags) {
  const CanaryPiece piece = pieces[blockIdx.x];
  bool damaged = false;
  for (const unsigned char* at = piece.begin + threadIdx.x; at < piece.end; at += kThreads)
    damaged |= *at != kFreshCanary;
  if (damaged) atomicOr(&flags[piece.owner], static_cast<std::uint32_t>(kDeviceCanary));
}

}  // namespace

cudaError_t place(const BlockPiece* pieces, std::size_t count, const unsigned char* staged,
                  bool pending, cudaStream_t stream) {
  if (count == 0) return cudaSuccess;
  place_pieces<<<static_cast<unsigned>(count), kThreads, 0, stream>>>(pieces, staged, pending);
  return cudaGetLastError();
}

cudaError_t admit(const RivalPiece* pieces, std::size_t count, unsigned char* staged,
                  cudaStream_t stream) {
  if (count == 0) return cudaSuccess;
  admit_pieces<<<static_cast<unsigned>(count), kThreads, 0, stream>>>(pieces, staged);
  return cudaGetLastError();
}

cudaError_t compare_blocks(const BlockPiece* pieces, std::size_t count, const unsigned char* staged,
                           bool early, std::uint32_t* flags, cudaStream_t stream) {
  if (count == 0) return cudaSuccess;
  compare_block_pieces<<<static_cast<unsigned>(count), kThreads, 0, stream>>>(pieces, staged, early,
                                                                              flags);
  return cudaGetLastError();
}

cudaError_t compare_results(const ResultPiece* pieces, std::size_t count,
                            const unsigned char* staged, std::uint32_t* flags,
                            cudaStream_t stream) {
  if (count == 0) return cudaSuccess;
  compare_result_pieces<<<static_cast<unsigned>(count), kThreads, 0, stream>>>(pieces, staged,
                                                                               flags);
  return cudaGetLastError();
}

cudaError_t compare_early(const ResultPiece& whole, const unsigned char* staged,
                          std::uint32_t* flags, cudaStream_t stream) {
  const auto blocks = static_cast<unsigned>((whole.last + kPieceElements - 1) / kPieceElements);
  if (blocks == 0) return cudaSuccess;
  compare_whole_result<<<blocks, kThreads, 0, stream>>>(whole, staged, flags);
  return cudaGetLastError();
}

cudaError_t pack(const FetchPiece* pieces, std::size_t count, unsigned char* packed,
                 cudaStream_t stream) {
  if (count == 0) return cudaSuccess;
  pack_pieces<<<static_cast<unsigned>(count), kThreads, 0, stream>>>(pieces, packed);
  return cudaGetLastError();
}

cudaError_t check_canaries(const CanaryPiece* pieces, std::size_t count, std::uint32_t* flags,
                           cudaStream_t stream) {
  if (count == 0) return cudaSuccess;
  check_canary_pieces<<<static_cast<unsigned>(count), kThreads, 0, stream>>>(pieces, flags);
  return cudaGetLastError();
}

}  // namespace indexfuzz::cuda
