#pragma once
// Brings many pieces of the device's memory to the host in one copy.

#include <cstdint>
#include <span>
#include <vector>

#include "run/cuda/checks.h"
#include "run/cuda/pinned.h"
#include "run/device/device.h"

namespace indexfuzz::cuda {

/// Packs pieces together on the device and copies them at once, in as many rounds as its buffers
/// demand.
class Fetcher {
 public:
  Fetcher();
  cudaError_t open();
  /// Returns when all have arrived; counts the copies and synchronizations.
  cudaError_t fetch(std::span<const DeviceCopy> copies, cudaStream_t stream, DeviceCounts& counts);

 private:
  struct Place {
    std::size_t copy = 0;
    std::int64_t byte = 0;
  };
  Place pack_some(std::span<const DeviceCopy> copies, Place place);

  Mirror packed_;
  Mirror table_;  ///< `pieces_`, for the device
  std::vector<FetchPiece> pieces_;
  std::vector<std::byte*> to_;  ///< where on the host each piece belongs
  std::int64_t packed_bytes_ = 0;
};

}  // namespace indexfuzz::cuda
