#include "run/watch/memory_limit.h"

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>

#include "run/watch/resources.h"

namespace indexfuzz {
namespace {

// 512 MiB for what a call takes; the rest is for stacks, and for what is left where it has had
// them.
constexpr rlim_t kMemory = rlim_t{512 + 128} << 20;
constexpr rlim_t kRaised = rlim_t{2} << 30;
constexpr rlim_t kStack = rlim_t{16} << 20;
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
    set_limit(RLIMIT_DATA, now + kMemory);
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
