#include "run/watch/resources.h"

#include <malloc.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "memory/guarded_heap.h"
#include "run/shared/child_processes.h"

namespace indexfuzz {
namespace {

std::int64_t heap_bytes() {
  const auto info = mallinfo2();
  return static_cast<std::int64_t>(info.uordblks + info.hblkhd);
}

/// A folder's link count has one link for each subfolder, and each thread has a subfolder here.
std::int64_t threads() {
  struct stat status {};
  return stat("/proc/self/task", &status) == 0 ? static_cast<std::int64_t>(status.st_nlink) - 2 : 0;
}

std::int64_t processes() {
  siginfo_t any{};
  if (waitid(P_ALL, 0, &any, WEXITED | WNOHANG | WNOWAIT) != 0) return 0;
  return static_cast<std::int64_t>(child_processes(getpid(), gettid()).size());
}

std::int64_t lowest_free_descriptor() {
  const int fd = eventfd(0, EFD_CLOEXEC);
  if (fd >= 0) close(fd);
  return fd;
}

}  // namespace

void join_free_memory() {
  // Setting this option, whatever the value, makes malloc first empty its lists of small free
  // pieces, all of which it would visit to count the heap. The value is malloc's default.
  mallopt(M_MXFAST, 64 * sizeof(std::size_t) / 4);
}

std::int64_t held_now(Resource resource) {
  switch (resource) {
    case Resource::kTensors: return GuardedHeap::instance().live_allocations();
    case Resource::kHeap: return heap_bytes();
    case Resource::kThreads: return threads();
    case Resource::kProcesses: return processes();
    case Resource::kDescriptors: return lowest_free_descriptor();
  }
  return 0;
}

Held held_now() {
  return {held_now(Resource::kTensors), held_now(Resource::kHeap), held_now(Resource::kThreads),
          held_now(Resource::kProcesses), held_now(Resource::kDescriptors)};
}

std::string_view name(Resource resource) {
  switch (resource) {
    case Resource::kTensors: return "memory of tensors";
    case Resource::kHeap: return "memory of malloc";
    case Resource::kThreads: return "threads";
    case Resource::kProcesses: return "processes";
    case Resource::kDescriptors: return "file descriptors";
  }
  return "";
}

}  // namespace indexfuzz
