#pragma once
// Host memory in which the bytes for a GPU are gathered.

#include <cstring>
#include <span>

#include "memory/region.h"

namespace indexfuzz {

/// The most of one batch that is sent at once.
inline constexpr std::int64_t kStagedBytes = std::int64_t{48} << 20;

/// Memory of kStagedBytes, filled front to back; what it holds stays in place until clear(). Only
/// pages that were ever used take memory.
class Staging {
 public:
  Staging() : region_(kStagedBytes) {}

  void clear() { used_ = 0; }
  bool empty() const { return used_ == 0; }
  /// Room for `bytes`, aligned to 16; null if there is none.
  std::byte* take(std::int64_t bytes) {
    if (used_ + bytes > kStagedBytes) return nullptr;
    std::byte* const at = region_.begin() + used_;
    used_ = (used_ + bytes + 15) / 16 * 16;
    return at;
  }
  /// A copy of the bytes; null if there is no room.
  std::byte* append(const void* from, std::int64_t bytes) {
    std::byte* const at = take(bytes);
    if (at != nullptr && bytes > 0) std::memcpy(at, from, static_cast<std::size_t>(bytes));
    return at;
  }
  const std::byte* begin() const { return region_.begin(); }
  std::int64_t used() const { return used_; }
  /// Gives up all that was taken after used() was this.
  void shrink_to(std::int64_t used) { used_ = used; }

 private:
  Region region_;
  std::int64_t used_ = 0;
};

}  // namespace indexfuzz
