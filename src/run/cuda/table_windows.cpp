#include "run/cuda/table_windows.h"

namespace indexfuzz::cuda {
namespace {

struct Size {
  std::int64_t places, filler_bytes;
};
/// The driver maps one piece at a time, and makes all processes wait for it meanwhile: of small
/// fillers a table would take thousands.
constexpr Size kSizes[] = {{6, std::int64_t{256} << 20}, {1, std::int64_t{32} << 20}};

}  // namespace

TableWindows::TableWindows(int device, std::int64_t memory) : device_(device) {
  for (const Size& size : kSizes) {
    if (size.places * kWindowBytes + size.filler_bytes > memory) continue;
    places_ = size.places;
    filler_bytes_ = size.filler_bytes;
    return;
  }
}

unsigned char* TableWindows::map(std::int64_t place, std::int64_t fillers) {
  if (windows_.empty()) {
    windows_ = create_pieces(device_, kWindowBytes, places_);
    filler_ = create_pieces(device_, filler_bytes_, 1);
  }
  if (windows_.empty() || filler_.empty()) return nullptr;
  std::vector<MemoryPiece> pieces(static_cast<std::size_t>(fillers), filler_.front());
  pieces.push_back(windows_[static_cast<std::size_t>(place)]);
  // As much again stays unmapped in front: there leads an offset that became negative.
  const std::int64_t table = fillers * filler_bytes_;
  std::vector<std::int64_t> offsets;
  for (std::int64_t i = 0; i <= fillers; ++i) offsets.push_back(table + i * filler_bytes_);
  unsigned char* const range = map_pieces(device_, pieces, offsets, 2 * table + 2 * kWindowBytes);
  return range == nullptr ? nullptr : range + 2 * table;
}

Segment TableWindows::take(std::int64_t bytes_in_front) {
  if (taken_ == places_) return {};
  const std::int64_t fillers = (bytes_in_front + filler_bytes_ - 1) / filler_bytes_;
  const auto [found, is_new] = addresses_.try_emplace({taken_, fillers}, nullptr);
  if (is_new) found->second = map(taken_, fillers);
  if (found->second == nullptr) return {};
  ++taken_;
  return {found->second, kWindowBytes};
}

}  // namespace indexfuzz::cuda
