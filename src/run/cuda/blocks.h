#pragma once
// The blocks of a batch: where each lies in guarded memory, and the pieces that kernels write and
// compare.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "run/cuda/checks.h"
#include "run/cuda/far_windows.h"
#include "run/cuda/segments.h"
#include "run/cuda/staged_bytes.h"
#include "run/cuda/table_windows.h"
#include "run/device/device.h"

namespace indexfuzz::cuda {

class Blocks {
 public:
  static constexpr std::int64_t kMostTableBytes = std::int64_t{4} << 20;

  /// Takes at most `memory` bytes.
  Blocks(int device, std::int64_t memory)
      : windows_(device, memory / kWindowsShare),
        tables_(device, memory / kWindowsShare),
        segments_(device, memory - windows_.most_memory() - tables_.most_memory()) {}

  void reset();
  /// Finds a place for the block and takes along its bytes, which must be staged. Returns the
  /// extent's address, or null if there is no room.
  std::byte* place(const DeviceBlock& block, StagedBytes& staged);
  /// How much of the device's memory it has taken so far.
  std::int64_t memory() const { return segments_.memory() + windows_.memory() + tables_.memory(); }
  std::size_t count() const { return first_piece_.size(); }
  /// No more than kMostTableBytes.
  std::span<const BlockPiece> pieces() const { return pieces_; }
  /// The index in `pieces()` of a block's first piece; the number of pieces if block == count().
  std::size_t first_piece(std::size_t block) const {
    return block < first_piece_.size() ? first_piece_[block] : pieces_.size();
  }

 private:
  static constexpr std::int64_t kWindowsShare = 3;

  Segment segment_for(const DeviceBlock& block, std::int64_t bytes);
  bool has_room_for(std::int64_t bytes, std::int64_t parts) const;
  std::byte* place_far(const DeviceBlock& block, StagedBytes& staged);
  void add_pieces(BlockPiece piece, unsigned char* begin, unsigned char* end);

  FarWindows windows_;
  TableWindows tables_;
  Segments segments_;
  std::vector<BlockPiece> pieces_;
  std::vector<std::size_t> first_piece_;  ///< by block
};

}  // namespace indexfuzz::cuda
