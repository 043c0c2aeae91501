#pragma once
// Places for operands whose slices lie 2 GiB and more apart: much address space, little memory.

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

#include "run/cuda/driver.h"
#include "run/cuda/segments.h"

namespace indexfuzz::cuda {

/// Owns pieces of 2 MiB, each mapped at several addresses, once for each distance that is asked
/// for. Nothing is mapped between them, so that a wrong offset is an illegal address. Mapped when
/// first needed and reused for every batch.
class FarWindows {
 public:
  static constexpr std::int64_t kWindows = 8;
  static constexpr std::int64_t kMostPlaces = 8;
  static constexpr std::int64_t kWindowBytes = std::int64_t{2} << 20;
  static constexpr std::int64_t kPlaceMemory = kWindows * kWindowBytes;

  /// With as many places as `memory` allows, at most kMostPlaces.
  FarWindows(int device, std::int64_t memory)
      : device_(device), places_(std::min(memory / kPlaceMemory, kMostPlaces)) {}
  FarWindows(const FarWindows&) = delete;
  FarWindows& operator=(const FarWindows&) = delete;

  std::int64_t most_memory() const { return places_ * kPlaceMemory; }
  /// How much of the device's memory it has taken so far.
  std::int64_t memory() const { return static_cast<std::int64_t>(memory_.size()) * kWindowBytes; }
  /// All places are free again.
  void reset() { used_ = 0; }
  /// The first of kWindows windows that lie `apart` bytes, a multiple of 2 MiB, from each other;
  /// null if all places are taken or the driver refuses.
  unsigned char* take(std::int64_t apart);

 private:
  int device_;
  std::int64_t places_;
  std::int64_t used_ = 0;
  std::vector<MemoryPiece> memory_;
  std::map<std::int64_t, unsigned char*> addresses_;  ///< by distance; null: refused
};

}  // namespace indexfuzz::cuda
