#pragma once
// Places for the last slices of tables of more than 2^31 elements: much address space, little
// memory.

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "run/cuda/driver.h"
#include "run/cuda/segments.h"

namespace indexfuzz::cuda {

/// Owns a window for each place, and a large piece of memory, the filler, that is mapped again and
/// again in front of each window: so all of a table may be read and written, though it takes little
/// memory. Mapped when first needed and reused for every batch.
class TableWindows {
 public:
  static constexpr std::int64_t kWindowBytes = std::int64_t{2} << 20;

  /// With as many places as `memory` allows: several for a worker's batches, one for a process that
  /// runs cases alone, maybe none.
  TableWindows(int device, std::int64_t memory);
  TableWindows(const TableWindows&) = delete;
  TableWindows& operator=(const TableWindows&) = delete;

  std::int64_t most_memory() const { return places_ * kWindowBytes + filler_bytes_; }
  /// How much of the device's memory it has taken so far.
  std::int64_t memory() const { return windows_.empty() ? 0 : most_memory(); }
  /// All places are free again.
  void reset() { taken_ = 0; }
  /// A window with so many mapped bytes in front of it; empty if all places are taken or the driver
  /// refuses.
  Segment take(std::int64_t bytes_in_front);

 private:
  unsigned char* map(std::int64_t place, std::int64_t fillers);

  int device_;
  std::int64_t places_ = 0;
  std::int64_t filler_bytes_ = 0;  ///< the larger, the fewer mappings
  std::int64_t taken_ = 0;
  std::vector<MemoryPiece> windows_;  ///< by place
  std::vector<MemoryPiece> filler_;   ///< one
  /// Windows by place and the number of fillers in front; null: refused.
  std::map<std::pair<std::int64_t, std::int64_t>, unsigned char*> addresses_;
};

}  // namespace indexfuzz::cuda
