#include "run/call/memory_limit.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cstdlib>

namespace indexfuzz {
namespace {

/// The bytes that count for RLIMIT_DATA; 0 if the system does not tell.
std::int64_t held_bytes() {
  const int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  std::array<char, 256> text{};
  const ssize_t read_bytes = read(file, text.data(), text.size() - 1);
  close(file);
  // size resident shared text lib data dt, in pages
  constexpr int kBeforeData = 5;
  char* at = text.data();
  for (int i = 0; i < kBeforeData; ++i) std::strtoll(at, &at, 10);
  return read_bytes > 0 ? std::strtoll(at, nullptr, 10) * sysconf(_SC_PAGESIZE) : 0;
}

}  // namespace

MemoryLimit::MemoryLimit(std::int64_t bytes) {
  const std::int64_t held = held_bytes();
  if (held <= 0 || getrlimit(RLIMIT_DATA, &before_) != 0) return;
  const auto most = static_cast<rlim_t>(held + bytes);
  if (before_.rlim_cur != RLIM_INFINITY && before_.rlim_cur <= most) return;
  const rlimit now{most, before_.rlim_max};
  is_set_ = setrlimit(RLIMIT_DATA, &now) == 0;
}

MemoryLimit::~MemoryLimit() {
  if (is_set_) setrlimit(RLIMIT_DATA, &before_);
}

}  // namespace indexfuzz
