#include "run/watch/memory_limit.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <thread>

#include "run/watch/resources.h"

namespace indexfuzz {
namespace {

// What a call may take, what is left once it has taken that, and the stack of a thread.
constexpr rlim_t kMemory = rlim_t{512} << 20, kSpare = rlim_t{64} << 20;
constexpr rlim_t kStackOfThread = rlim_t{8} << 20;

/// The stacks of the threads that a call may start: a few dozen, or two for each processor.
rlim_t stacks() {
  constexpr rlim_t kLeastThreads = 32;
  return kStackOfThread * std::max<rlim_t>(kLeastThreads, 2 * std::thread::hardware_concurrency());
}

constexpr rlim_t kRaised = rlim_t{2} << 30;
// 8 MiB as in shells, and so in every program that calls the kernel, plus what a worker or a
// program with a large environment may have used before the call: the smallest case that overflows
// the stack here also does so there.
constexpr rlim_t kStack = (rlim_t{8} << 20) + (rlim_t{512} << 10);
// What may be left after a vector has failed to double its size.
constexpr std::size_t kHardlyAnything = std::size_t{64} << 20;

void set_limit(int resource, rlim_t limit) {
  rlimit current{};
  if (getrlimit(static_cast<__rlimit_resource_t>(resource), &current) != 0) return;
  current.rlim_cur = std::min(current.rlim_max, limit);
  setrlimit(static_cast<__rlimit_resource_t>(resource), &current);
}

bool is_memory_limited() {
  rlimit current{};
  return getrlimit(RLIMIT_DATA, &current) == 0 && current.rlim_cur != RLIM_INFINITY;
}

}  // namespace

std::int64_t private_memory() {
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

void limit_memory() {
  if (const auto now = static_cast<rlim_t>(private_memory()); now > 0)
    set_limit(RLIMIT_DATA, now + kMemory + kSpare + stacks());
  set_limit(RLIMIT_STACK, kStack);
}

void leave_room_for_threads() {
  static std::int64_t threads = 0;
  const std::int64_t now = held_now(Resource::kThreads);
  if (now > threads && threads != 0 && is_memory_limited()) limit_memory();
  threads = now;
}

RaisedMemoryLimit::RaisedMemoryLimit() : is_limited_(is_memory_limited()) {
  const auto now = static_cast<rlim_t>(is_limited_ ? private_memory() : 0);
  if (now > 0) set_limit(RLIMIT_DATA, now + kRaised);
}

RaisedMemoryLimit::~RaisedMemoryLimit() {
  if (is_limited_) limit_memory();
}

LoweredMemoryLimit::LoweredMemoryLimit(std::int64_t bytes) {
  const std::int64_t held = private_memory();
  if (held <= 0 || getrlimit(RLIMIT_DATA, &before_) != 0) return;
  const auto most = static_cast<rlim_t>(held + bytes);
  if (before_.rlim_cur != RLIM_INFINITY && before_.rlim_cur <= most) return;
  const rlimit now{most, before_.rlim_max};
  is_lowered_ = setrlimit(RLIMIT_DATA, &now) == 0;
}

LoweredMemoryLimit::~LoweredMemoryLimit() {
  if (is_lowered_) setrlimit(RLIMIT_DATA, &before_);
}

bool memory_is_spent() {
  void* const probe = mmap(nullptr, kHardlyAnything, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (probe == MAP_FAILED) return true;
  munmap(probe, kHardlyAnything);
  return false;
}

}  // namespace indexfuzz
