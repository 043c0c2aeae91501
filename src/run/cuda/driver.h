#pragma once
// The driver's virtual memory, found at run time: a machine without a GPU has no libcuda.so.

#include <cstdint>

namespace indexfuzz::cuda {

/// Maps `bytes`, a multiple of 2 MiB, on the device, with 2 MiB of unmapped addresses before and
/// behind them; filled with canaries. Null where the driver refuses. Never unmapped.
unsigned char* map_between_gaps(int device, std::int64_t bytes);

}  // namespace indexfuzz::cuda
