#pragma once
// Many pieces of the device's memory brought to the host in one copy.

#include <cstdint>
#include <span>
#include <vector>

#include "run/cuda/checks.h"
#include "run/cuda/pinned.h"
#include "run/device/device.h"

namespace indexfuzz::cuda {

/// Packs pieces together on the device and copies them as one, as often as its buffers demand.
class Fetcher {
 public:
  Fetcher();
  cudaError_t open();
  /// Returns when all have arrived; counts what that took.
  cudaError_t fetch(std::span<const DeviceCopy> copies, cudaStream_t stream, DeviceCounts& counts);

 private:
  std::size_t pack_some(std::span<const DeviceCopy> copies);

  Mirror packed_;
  Mirror table_;  ///< `pieces_`
  std::vector<FetchPiece> pieces_;
  std::int64_t packed_bytes_ = 0;
};

}  // namespace indexfuzz::cuda
