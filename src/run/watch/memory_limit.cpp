#include "run/watch/memory_limit.h"

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <thread>

#include "run/watch/resources.h"

namespace indexfuzz {
namespace {

// For what a call takes, for what is left where it has had that, and for the stack of a thread.
constexpr rlim_t kMemory = rlim_t{512} << 20, kSpare = rlim_t{64} << 20;
constexpr rlim_t kStackOfThread = rlim_t{8} << 20;

/// Of the threads that a call may start: some, or two for each processor.
rlim_t stacks() {
  constexpr rlim_t kLeastThreads = 32;
  return kStackOfThread * std::max<rlim_t>(kLeastThreads, 2 * std::thread::hardware_concurrency());
}

constexpr rlim_t kRaised = rlim_t{2} << 30;
// As shells have it, and so every program that calls the kernel; and what a worker, or a program
// with a large environment, may have used of it before the call: the least case that overflows here
// does so there too.
constexpr rlim_t kStack = (rlim_t{8} << 20) + (rlim_t{512} << 10);
// What is left where a vector that doubles itself has failed.
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
  std::FILE* const file = std::fopen("/proc/self/statm", "re");
  if (file == nullptr) return 0;
  long pages = 0;
  const int read = std::fscanf(file, "%*s %*s %*s %*s %*s %ld", &pages);
  std::fclose(file);
  return read == 1 ? pages * sysconf(_SC_PAGESIZE) : 0;
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

bool memory_is_spent() {
  void* const probe = mmap(nullptr, kHardlyAnything, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (probe == MAP_FAILED) return true;
  munmap(probe, kHardlyAnything);
  return false;
}

}  // namespace indexfuzz
