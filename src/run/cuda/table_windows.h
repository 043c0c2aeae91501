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

/// Owns a window for each place, and a large piece of memory that is mapped again and again in
/// front of them: all of a table may be read and written. Mapped when first needed and reused for
/// every batch.
class TableWindows {
 public:
  static constexpr std::int64_t kPlaces = 6;
  static constexpr std::int64_t kWindowBytes = std::int64_t{2} << 20;
  static constexpr std::int64_t kFillerBytes = std::int64_t{256} << 20;
  static constexpr std::int64_t kMemory = kPlaces * kWindowBytes + kFillerBytes;

  /// Without any place if `memory` does not suffice.
  TableWindows(int device, std::int64_t memory) : device_(device), is_used_(memory >= kMemory) {}
  TableWindows(const TableWindows&) = delete;
  TableWindows& operator=(const TableWindows&) = delete;

  std::int64_t most_memory() const { return is_used_ ? kMemory : 0; }
  /// How much of the device's memory it has taken so far.
  std::int64_t memory() const { return windows_.empty() ? 0 : kMemory; }
  /// All places are free again.
  void reset() { taken_ = 0; }
  /// A window with so many mapped bytes in front of it; empty if all places are taken or the driver
  /// refuses.
  Segment take(std::int64_t bytes_in_front);

 private:
  unsigned char* map(std::int64_t place, std::int64_t fillers);

  int device_;
  bool is_used_;
  std::int64_t taken_ = 0;
  std::vector<MemoryPiece> windows_;  ///< by place
  std::vector<MemoryPiece> filler_;   ///< one
  /// Windows by place and the number of fillers in front; null: refused.
  std::map<std::pair<std::int64_t, std::int64_t>, unsigned char*> addresses_;
};

}  // namespace indexfuzz::cuda
