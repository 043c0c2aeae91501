#include "run/cuda/far_windows.h"

namespace indexfuzz::cuda {
namespace {

/// From one place to the next: a window, and as many bytes that are not mapped.
constexpr std::int64_t kPlaceBytes = 2 * FarWindows::kWindowBytes;

}  // namespace

unsigned char* FarWindows::take(std::int64_t apart) {
  if (used_ == places_) return nullptr;
  const auto [found, is_new] = addresses_.try_emplace(apart, nullptr);
  if (is_new) {
    if (memory_.empty()) memory_ = create_pieces(device_, kWindowBytes, kWindows * places_);
    std::vector<std::int64_t> offsets;
    for (std::int64_t window = 0; window < kWindows; ++window) {
      for (std::int64_t place = 0; place < places_; ++place)
        offsets.push_back(window * apart + (place + 1) * kPlaceBytes);
    }
    const std::int64_t range = kWindows * apart + (places_ + 2) * kPlaceBytes;
    found->second = map_pieces(device_, memory_, offsets, range);
  }
  if (found->second == nullptr) return nullptr;
  return found->second + (++used_) * kPlaceBytes;
}

}  // namespace indexfuzz::cuda
