#include "run/cuda/blocks.h"

#include <algorithm>

namespace indexfuzz::cuda {

void Blocks::reset() {
  segments_.reset();
  windows_.reset();
  tables_.reset();
  pieces_.clear();
  first_piece_.clear();
}

/// Whether the pieces of one more block fit, which has `bytes` in `parts` parts.
bool Blocks::has_room_for(std::int64_t bytes, std::int64_t parts) const {
  const auto pieces = static_cast<std::int64_t>(pieces_.size()) + bytes / kPieceBytes + 2 * parts;
  return pieces * static_cast<std::int64_t>(sizeof(BlockPiece)) <= kMostTableBytes;
}

/// Adds the pieces of [begin, end), of kPieceBytes each.
void Blocks::add_pieces(BlockPiece piece, unsigned char* begin, unsigned char* end) {
  for (unsigned char* at = begin; at < end; at += kPieceBytes) {
    piece.begin = at;
    piece.end = std::min(at + kPieceBytes, end);
    pieces_.push_back(piece);
  }
}

/// Where a block that touches `bytes` bytes may lie; empty if there is no room.
Segment Blocks::segment_for(const DeviceBlock& block, std::int64_t bytes) {
  if (block.bytes_in_front > 0) return tables_.take(block.bytes_in_front);
  const Segment* const segment = segments_.take(bytes + block.gap_bytes, block.flush_left);
  return segment == nullptr ? Segment{} : *segment;
}

std::byte* Blocks::place(const DeviceBlock& block, StagedBytes& staged) {
  if (block.far.count > 0) return place_far(block, staged);
  const std::int64_t bytes = block.front_bytes + block.extent_bytes + block.back_bytes;
  if (!has_room_for(bytes, 1)) return nullptr;
  const Segment segment = segment_for(block, bytes);
  if (segment.begin == nullptr) return nullptr;
  unsigned char* const first =
      block.flush_left ? segment.begin + block.gap_bytes : segment.begin + segment.bytes - bytes;
  unsigned char* const data = first + block.front_bytes;
  BlockPiece piece{};
  piece.extent_begin = data;
  piece.extent_end = data + block.extent_bytes;
  piece.extent = staged.take(block.extent, block.extent_bytes);
  piece.image = staged.take(block.image, block.extent_bytes);
  piece.block = static_cast<std::int32_t>(first_piece_.size());
  piece.canary = std::to_integer<unsigned char>(block.canary);
  piece.pending = block.zeros_while_pending ? 0 : piece.canary;
  first_piece_.push_back(pieces_.size());
  add_pieces(piece, std::max(first - kMargin, segment.begin),
             std::min(first + bytes + kMargin, segment.begin + segment.bytes));
  return reinterpret_cast<std::byte*>(data);
}

std::byte* Blocks::place_far(const DeviceBlock& block, StagedBytes& staged) {
  const FarPlaces& far = block.far;
  if (!has_room_for(block.extent_bytes, far.count)) return nullptr;
  unsigned char* const window = windows_.take(far.apart_bytes);
  if (window == nullptr) return nullptr;
  // Never against the guard page after it: see repair().
  unsigned char* const data = window + block.gap_bytes;
  BlockPiece piece{};
  const std::int64_t extent = staged.take(block.extent, block.extent_bytes);
  const std::int64_t image = staged.take(block.image, block.extent_bytes);
  piece.block = static_cast<std::int32_t>(first_piece_.size());
  piece.canary = std::to_integer<unsigned char>(block.canary);
  piece.pending = block.zeros_while_pending ? 0 : piece.canary;
  first_piece_.push_back(pieces_.size());
  for (std::int64_t slice = 0; slice < far.count; ++slice) {
    unsigned char* const begin = window + slice * far.apart_bytes;
    piece.extent_begin = data + slice * far.apart_bytes;
    piece.extent_end = piece.extent_begin + far.slice_bytes;
    piece.extent = extent + slice * far.near_bytes;
    piece.image = image + slice * far.near_bytes;
    add_pieces(piece, std::max(piece.extent_begin - kMargin, begin),
               std::min(piece.extent_end + kMargin, begin + FarWindows::kWindowBytes));
  }
  return reinterpret_cast<std::byte*>(data);
}

}  // namespace indexfuzz::cuda
