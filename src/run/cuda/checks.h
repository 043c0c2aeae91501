#pragma once
// The kernels that fill and compare guarded device memory, as the host starts them.

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "case/dims.h"
#include "memory/region.h"

namespace indexfuzz::cuda {

/// The canary around what a kernel allocates.
inline constexpr auto kFreshCanary = std::to_integer<unsigned char>(kSmallCanary);

/// A stretch of at most kPieceBytes of one block. [begin, end) holds canaries outside the view's
/// extent.
struct BlockPiece {
  unsigned char* begin;
  unsigned char* end;
  unsigned char* extent_begin;
  unsigned char* extent_end;
  std::int64_t extent;    ///< offset in the staged bytes: what the view holds before the call
  std::int64_t image;     ///< what it holds after the call, likewise
  std::int32_t block;     ///< the block whose flags are set
  unsigned char pending;  ///< what the extent holds until it is placed on a busy stream
  unsigned char canary;   ///< what lies around it
};
inline constexpr std::int64_t kPieceBytes = 1 << 14;

/// A result's elements [first, last), compared with dense ones.
struct ResultPiece {
  const unsigned char* data;
  std::int64_t expected;  ///< offset in the staged bytes
  std::int64_t first;     ///< logical row-major index
  std::int64_t last;
  std::int32_t rank;
  std::int32_t item_size;
  std::int32_t result;  ///< the result whose flags are set
  std::int64_t shape[kMaxDims];
  std::int64_t strides[kMaxDims];  ///< in bytes
};
inline constexpr std::int64_t kPieceElements = 1 << 12;

/// Contributors [first, last) to one block or result.
struct RivalPiece {
  const unsigned char* data;
  std::int64_t expected;      ///< offset in the staged bytes
  std::int64_t contributors;  ///< likewise
  std::int64_t first;
  std::int64_t last;
  std::int32_t rank;
  std::int32_t item_size;
  std::int64_t shape[kMaxDims];
  std::int64_t strides[kMaxDims];           ///< in bytes
  std::int64_t expected_strides[kMaxDims];  ///< likewise
};

/// Bytes around an allocation, which must hold canaries.
struct CanaryPiece {
  const unsigned char* begin;
  const unsigned char* end;
  std::int32_t owner;
};

/// At most kPieceBytes that are packed together with others.
struct FetchPiece {
  const unsigned char* from;
  std::int64_t to;  ///< offset in the packed bytes
  std::int64_t bytes;
};

/// Writes extents and the canaries around them; if `pending`, BlockPiece::pending in the extents.
cudaError_t place(const BlockPiece* pieces, std::size_t count, const unsigned char* staged,
                  bool pending, cudaStream_t stream);
/// Where an element holds one of its contributors' values, makes that value the expected one.
cudaError_t admit(const RivalPiece* pieces, std::size_t count, unsigned char* staged,
                  cudaStream_t stream);
/// Sets DeviceFlags in flags[block] if a piece differs from its image. `early`: only kDeviceEarly.
cudaError_t compare_blocks(const BlockPiece* pieces, std::size_t count, const unsigned char* staged,
                           bool early, std::uint32_t* flags, cudaStream_t stream);
cudaError_t compare_results(const ResultPiece* pieces, std::size_t count,
                            const unsigned char* staged, std::uint32_t* flags, cudaStream_t stream);
/// Sets kDeviceEarly in flags[result] if one whole result is not as expected.
cudaError_t compare_early(const ResultPiece& whole, const unsigned char* staged,
                          std::uint32_t* flags, cudaStream_t stream);
cudaError_t pack(const FetchPiece* pieces, std::size_t count, unsigned char* packed,
                 cudaStream_t stream);
/// Sets kDeviceCanary in flags[owner] if a canary was overwritten.
cudaError_t check_canaries(const CanaryPiece* pieces, std::size_t count, std::uint32_t* flags,
                           cudaStream_t stream);

}  // namespace indexfuzz::cuda
