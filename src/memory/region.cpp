#include "memory/region.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <new>
#include <utility>

namespace indexfuzz {
namespace {

// Wide enough to catch a kernel that mistakes a stride for a size; whole pages everywhere.
constexpr std::int64_t kGuardBytes = 1 << 20;

}  // namespace

std::int64_t page_bytes() {
  static const std::int64_t bytes = sysconf(_SC_PAGESIZE);
  return bytes;
}

std::int64_t whole_pages(std::int64_t bytes) {
  return (bytes + page_bytes() - 1) / page_bytes() * page_bytes();
}

Region::Region(std::int64_t bytes, std::byte canary) : bytes_(whole_pages(bytes)), canary_(canary) {
  void* mapping = mmap(nullptr, static_cast<std::size_t>(bytes_ + 2 * kGuardBytes), PROT_NONE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapping == MAP_FAILED) throw std::bad_alloc();
  std::byte* const begin = static_cast<std::byte*>(mapping) + kGuardBytes;
  if (mprotect(begin, static_cast<std::size_t>(bytes_), PROT_READ | PROT_WRITE) != 0) {
    munmap(mapping, static_cast<std::size_t>(bytes_ + 2 * kGuardBytes));
    throw std::bad_alloc();
  }
  begin_ = begin;
}

Region::Region(Region&& other) noexcept
    : begin_(std::exchange(other.begin_, nullptr)),
      bytes_(std::exchange(other.bytes_, 0)),
      canary_(other.canary_),
      read_only_(std::exchange(other.read_only_, false)) {}

Region::~Region() {
  if (begin_ != nullptr)
    munmap(begin_ - kGuardBytes, static_cast<std::size_t>(bytes_ + 2 * kGuardBytes));
}

bool Region::holds(const void* address) const {
  const auto* at = static_cast<const std::byte*>(address);
  return begin_ != nullptr && at >= begin_ - kGuardBytes && at < begin_ + bytes_ + kGuardBytes;
}

void Region::set_read_only(bool read_only) {
  const int protection = read_only ? PROT_READ : PROT_READ | PROT_WRITE;
  read_only_ = mprotect(begin_, static_cast<std::size_t>(bytes_), protection) == 0 && read_only;
}

void fill_canary(std::byte* begin, std::int64_t bytes, std::byte canary) {
  std::memset(begin, std::to_integer<int>(canary), static_cast<std::size_t>(bytes));
}

bool all_canary(const std::byte* begin, const std::byte* end, std::byte canary) {
  // Equal to its own copy shifted by one: the library's comparison is the fastest loop there is.
  return begin == end ||
         (*begin == canary &&
          std::memcmp(begin, begin + 1, static_cast<std::size_t>(end - begin - 1)) == 0);
}

}  // namespace indexfuzz
