#pragma once
// Memory between two inaccessible pages, filled with canary bytes wherever nothing else lies.

#include <cstddef>
#include <cstdint>

namespace indexfuzz {

/// The value of every byte that belongs to no element. As an index it is out of every range, and as
/// a number (true in bool, NaN in some dtypes) it changes every sum, so that reading such a byte is
/// noticed as surely as writing one.
inline constexpr std::byte kCanary{0xFE};
/// Canaries of writable memory. They differ from kCanary, so that bytes that a kernel copies there
/// from beside an input are noticed.
/// - kSmallCanary, in the kernel's own allocations and around a written operand with Guard::kRight:
///   a number so small in every dtype that adding another one to it shows.
/// - kLargeCanary, around a written operand with Guard::kLeft: in float16 a signalling NaN, which
///   even adding 0 changes.
inline constexpr std::byte kSmallCanary{0x42}, kLargeCanary{0xFD};
/// How many bytes of canaries on either side of an extent are compared after each call.
inline constexpr std::int64_t kMargin = 256;

/// The size of the system's pages: 4096 bytes, but 16 or 64 KiB on some machines.
std::int64_t page_bytes();
/// `bytes` rounded up to the end of a page.
std::int64_t whole_pages(std::int64_t bytes);

/// Owns a mapping of at least `bytes` accessible bytes (whole pages, zeros at first) with guard
/// pages before and after them. Throws std::bad_alloc if the system gives no memory.
class Region {
 public:
  /// `canary` is only kept for the owner of the region, who fills it.
  explicit Region(std::int64_t bytes, std::byte canary = kCanary);
  Region(Region&& other) noexcept;
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;
  ~Region();

  std::byte* begin() const { return begin_; }
  std::byte* end() const { return begin_ + bytes_; }
  std::int64_t bytes() const { return bytes_; }
  std::byte canary() const { return canary_; }
  /// Whether the address lies in the region or in one of its guard pages.
  bool holds(const void* address) const;

  /// Makes the region read-only, so that a write to it faults, or writable again.
  void set_read_only(bool read_only);
  bool is_read_only() const { return read_only_; }

 private:
  std::byte* begin_ = nullptr;
  std::int64_t bytes_ = 0;
  std::byte canary_{};
  bool read_only_ = false;
};

/// Sets `bytes` bytes, 0 or more, to the canary.
void fill_canary(std::byte* begin, std::int64_t bytes, std::byte canary);
/// Whether every byte in [begin, end) is the canary; true if there is none.
bool all_canary(const std::byte* begin, const std::byte* end, std::byte canary);

}  // namespace indexfuzz
