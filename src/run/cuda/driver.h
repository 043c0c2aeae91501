#pragma once
// The driver's virtual memory, found at run time: a machine without a GPU has no libcuda.so.

#include <cstdint>
#include <span>
#include <vector>

namespace indexfuzz::cuda {

/// Maps `bytes`, a multiple of 2 MiB, on the device, with 2 MiB of unmapped addresses before and
/// after them; filled with canaries. Null if the driver refuses. Never unmapped.
unsigned char* map_between_gaps(int device, std::int64_t bytes);

/// A piece of the device's memory, which need not be mapped.
struct MemoryPiece {
  unsigned long long handle = 0;  ///< the driver's
  std::int64_t bytes = 0;         ///< a multiple of 2 MiB
};
/// Creates `count` pieces of `bytes` each, not mapped yet; empty if the driver refuses. Never
/// freed.
std::vector<MemoryPiece> create_pieces(int device, std::int64_t bytes, std::int64_t count);
/// Maps piece i at offsets[i] of a fresh address range of `range` bytes, and fills it with
/// canaries. A piece may be mapped more than once. Returns the beginning of the range; null if the
/// driver refuses. Never unmapped.
unsigned char* map_pieces(int device, std::span<const MemoryPiece> pieces,
                          std::span<const std::int64_t> offsets, std::int64_t range);

}  // namespace indexfuzz::cuda
