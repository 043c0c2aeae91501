#pragma once
// Memory between two inaccessible pages, filled with canary bytes wherever nothing else lies.

#include <cstddef>
#include <cstdint>

namespace indexfuzz {

/// Every byte that belongs to no element. As an index it is out of every range, as a number it
/// shows in every sum (bool and NaN alike), so that reading one is noticed as surely as writing
/// one.
inline constexpr std::byte kCanary{0xFE};
/// The same in memory that a call may write, so that what is copied there from beside an input
/// differs. In its own, and around the operand that it writes at a page on the right, it is so
/// small a number in every dtype that one which is added to it shows; at a page on the left it is
/// NaN in float16, which 0 that is added to it makes another one.
inline constexpr std::byte kSmallCanary{0x42}, kLargeCanary{0xFD};
/// How far around an extent canaries are compared after each call.
inline constexpr std::int64_t kMargin = 256;

/// Owns a mapping of `bytes` accessible bytes, zeros at first, with a guard page before and after
/// them. Throws std::bad_alloc where the system gives none.
class Region {
 public:
  /// `canary`: what whoever uses it fills it with.
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

void fill_canary(std::byte* begin, std::int64_t bytes, std::byte canary);
bool all_canary(const std::byte* begin, const std::byte* end, std::byte canary);

}  // namespace indexfuzz
