#include "run/cuda/segments.h"

#include "run/cuda/checks.h"
#include "run/cuda/driver.h"

namespace indexfuzz::cuda {
namespace {

// The driver maps in units of 2 MiB.
constexpr std::int64_t kSmallBytes = std::int64_t{2} << 20;
constexpr std::int64_t kLargeBytes = std::int64_t{8} << 20;

}  // namespace

void Segments::reset() {
  small_used_[0] = small_used_[1] = 0;
  large_used_ = 0;
}

const Segment* Segments::map(std::int64_t bytes) {
  if (bytes > left_) return nullptr;
  unsigned char* const begin = map_between_gaps(device_, bytes);
  if (begin == nullptr) return nullptr;
  left_ -= bytes;
  (bytes == kSmallBytes ? small_ : large_)
      .push_back(std::make_unique<Segment>(Segment{begin, bytes}));
  return (bytes == kSmallBytes ? small_ : large_).back().get();
}

const Segment* Segments::take(std::int64_t bytes, bool left) {
  const bool is_small = bytes + kMargin <= kSmallBytes / 2;
  if (!is_small && bytes + kMargin > kLargeBytes) return nullptr;
  std::vector<std::unique_ptr<Segment>>& all = is_small ? small_ : large_;
  std::size_t& used = is_small ? small_used_[left ? 0 : 1] : large_used_;
  if (used < all.size()) return all[used++].get();
  const Segment* const segment = map(is_small ? kSmallBytes : kLargeBytes);
  if (segment != nullptr) ++used;
  return segment;
}

}  // namespace indexfuzz::cuda
