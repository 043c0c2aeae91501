#pragma once
// How a zygote learns that a child has ended.

#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <utility>

namespace indexfuzz {

/// fd() is readable when a child has ended, whichever thread receives the signal: libraries may
/// have started threads while they were loaded, and a signal that one thread blocks goes to
/// another. At most one per process.
class ChildrenEnded {
 public:
  ChildrenEnded() {
    fd_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    struct sigaction note {};
    note.sa_handler = [](int) {
      const int error = errno;
      const std::uint64_t one = 1;
      [[maybe_unused]] const ssize_t written = write(fd_, &one, sizeof one);
      errno = error;
    };
    note.sa_flags = SA_RESTART | SA_NOCLDSTOP;
    sigaction(SIGCHLD, &note, &before_);
  }
  ~ChildrenEnded() { leave(); }
  ChildrenEnded(const ChildrenEnded&) = delete;
  ChildrenEnded& operator=(const ChildrenEnded&) = delete;

  int fd() const { return fd_; }
  void clear() const {
    std::uint64_t count = 0;
    [[maybe_unused]] const ssize_t size = read(fd_, &count, sizeof count);
  }
  /// For a forked child, which has no use for it: puts the handling of SIGCHLD back.
  void leave() const {
    if (fd_ < 0) return;
    sigaction(SIGCHLD, &before_, nullptr);
    close(std::exchange(fd_, -1));
  }

 private:
  static inline int fd_ = -1;
  struct sigaction before_ {};
};

}  // namespace indexfuzz
