#pragma once
// How a zygote learns that a child has ended.

#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

namespace indexfuzz {

/// Readable when a child has ended, whichever thread is told so: libraries may have started some as
/// they were loaded, and what is blocked in one thread goes to another. One in a process.
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
  int fd() const { return fd_; }
  void clear() const {
    std::uint64_t count = 0;
    [[maybe_unused]] const ssize_t size = read(fd_, &count, sizeof count);
  }
  /// In a child, whose own children are no concern of it.
  void leave() const {
    sigaction(SIGCHLD, &before_, nullptr);
    close(fd_);
  }

 private:
  static inline int fd_ = -1;
  struct sigaction before_ {};
};

}  // namespace indexfuzz
