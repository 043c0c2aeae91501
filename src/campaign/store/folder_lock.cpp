#include "campaign/store/folder_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstring>
#include <string>
#include <thread>

#include "campaign/failure.h"

namespace indexfuzz {
namespace {

namespace fs = std::filesystem;

fs::path lock_file(const fs::path& folder) {
  return folder / ".lock";
}

/// The process id in the lock file; 0 if there is none.
int written_owner(int fd) {
  char text[32] = {};
  const ssize_t size = pread(fd, text, sizeof text - 1, 0);
  int owner = 0;
  std::from_chars(text, text + std::max<ssize_t>(size, 0), owner);
  return owner;
}

/// As written_owner(), but waits a moment: the owner of the lock may be just about to write its id.
int patient_owner(int fd) {
  for (int i = 0; i < 50 && written_owner(fd) == 0; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  return written_owner(fd);
}

/// Tries for a moment, since lock_owner() in another process holds the lock for one. On failure
/// errno says why.
bool lock_patiently(int fd) {
  for (int tries = 0; flock(fd, LOCK_EX | LOCK_NB) != 0; ++tries) {
    if (errno != EWOULDBLOCK || tries == 10) return false;
    usleep(10'000);
  }
  return true;
}

}  // namespace

FolderLock::FolderLock(const fs::path& folder) {
  fd_ = open(lock_file(folder).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (fd_ < 0) {
    throw SetupError(
        fmt::format("cannot write in the folder {}: {}.", folder.string(), strerror(errno)));
  }
  if (!lock_patiently(fd_)) {
    const bool taken = errno == EWOULDBLOCK;
    const std::string why = strerror(errno);
    const int owner = taken ? patient_owner(fd_) : 0;
    close(fd_);
    if (taken) {
      throw SetupError(
          fmt::format("another campaign (process {}) is running in {}; give another --out.", owner,
                      folder.string()));
    }
    throw SetupError(
        fmt::format("cannot lock the folder {}: {}; give an --out on another file system.",
                    folder.string(), why));
  }
  const std::string owner = std::to_string(getpid()) + "\n";
  if (ftruncate(fd_, 0) != 0 ||
      pwrite(fd_, owner.data(), owner.size(), 0) != static_cast<ssize_t>(owner.size())) {
    const std::string why = strerror(errno);
    close(fd_);
    throw SetupError(fmt::format("cannot write in the folder {}: {}.", folder.string(), why));
  }
}

FolderLock::~FolderLock() {
  close(fd_);
}

int lock_owner(const fs::path& folder) {
  const int fd = open(lock_file(folder).c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
  if (fd < 0) return 0;
  const bool taken = flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  const int owner = taken ? patient_owner(fd) : 0;
  close(fd);
  return owner;
}

}  // namespace indexfuzz
