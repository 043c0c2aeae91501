#include "campaign/store/reserve.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "campaign/store/durable.h"

namespace indexfuzz {
namespace {

namespace fs = std::filesystem;

// As many files as four findings have: a file system may run out of inodes before it is full.
constexpr int kFiles = 32;

void allocate(const fs::path& file, std::int64_t bytes) {
  const int fd = open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
  if (fd < 0) fail_to_store(file);
  const int number = posix_fallocate(fd, 0, bytes);
  close(fd);
  if (number == 0) return;
  errno = number;
  fail_to_store(file);
}

}  // namespace

Reserve::Reserve(fs::path folder) : folder_(std::move(folder)) {
  try {
    if (mkdir(folder_.c_str(), 0755) != 0 && errno != EEXIST) fail_to_store(folder_);
    for (int i = 0; i < kFiles; ++i) allocate(folder_ / std::to_string(i), kBytes / kFiles);
  } catch (...) {
    give_up();
    throw;
  }
}

Reserve::~Reserve() {
  give_up();
}

bool Reserve::give_up() {
  std::error_code error;
  fs::remove_all(folder_, error);
  return std::exchange(held_, false);
}

}  // namespace indexfuzz
