#pragma once
// Memory on the host for the operands that stay there while their call is on a GPU.

#include <cstddef>
#include <cstdint>
#include <memory>

namespace indexfuzz {

/// Holds the operands of one batch, each aligned to 64 bytes as PyTorch's memory is. make_call()
/// overwrites them when the call returns: a kernel on a GPU that can access the host's memory, and
/// still reads them then, is found out.
class HostOperands {
 public:
  void clear() { used_ = 0; }
  /// Null if there is no room.
  std::byte* take(std::int64_t bytes) {
    const std::int64_t at = (used_ + 63) / 64 * 64;
    if (at + bytes > kBytes - 64) return nullptr;
    if (bytes_ == nullptr) bytes_ = std::make_unique_for_overwrite<std::byte[]>(kBytes);
    used_ = at + bytes;
    const auto misaligned = reinterpret_cast<std::uintptr_t>(bytes_.get()) % 64;
    return bytes_.get() + at + (misaligned == 0 ? 0 : 64 - misaligned);
  }

 private:
  static constexpr std::int64_t kBytes = std::int64_t{8} << 20;
  std::unique_ptr<std::byte[]> bytes_;
  std::int64_t used_ = 0;
};

}  // namespace indexfuzz
