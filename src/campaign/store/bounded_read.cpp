#include "campaign/store/bounded_read.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>

namespace indexfuzz {
namespace {

BoundedText unread(Unread what, std::string why) {
  return {"", what, std::move(why)};
}

BoundedText refused() {
  const int number = errno;
  if (number == ENOENT || number == ENOTDIR) return unread(Unread::kMissing, "does not exist");
  return unread(Unread::kUnreadable, fmt::format("cannot be read: {}", strerror(number)));
}

std::string is_larger_than(std::size_t bytes) {
  return bytes < 1 << 20 ? fmt::format("is larger than {} KiB", bytes >> 10)
                         : fmt::format("is larger than {} MiB", bytes >> 20);
}

/// Why this is not a regular file of at most `limit` bytes; none if it is.
std::optional<BoundedText> judge(const struct stat& info, std::size_t limit) {
  switch (info.st_mode & S_IFMT) {
    case S_IFREG: break;
    case S_IFLNK: return unread(Unread::kLink, "is a link, not a file");
    case S_IFIFO: return unread(Unread::kFifo, "is a FIFO, not a file");
    case S_IFSOCK: return unread(Unread::kSocket, "is a socket, not a file");
    case S_IFDIR: return unread(Unread::kFolder, "is a folder, not a file");
    default: return unread(Unread::kDevice, "is a device, not a file");
  }
  if (static_cast<std::size_t>(info.st_size) <= limit) return std::nullopt;
  return unread(Unread::kLarge, is_larger_than(limit));
}

BoundedText read_open(int fd, std::size_t limit) {
  struct stat info {};
  if (fstat(fd, &info) != 0) return refused();
  if (auto other = judge(info, limit)) return *other;
  BoundedText result;
  // One byte more: a file may grow meanwhile.
  result.text.resize(static_cast<std::size_t>(info.st_size) + 1);
  std::size_t size = 0;
  while (size < result.text.size()) {
    const ssize_t got = read(fd, result.text.data() + size, result.text.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return refused();
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
    if (size == result.text.size() && size <= limit) result.text.resize(limit + 1);
  }
  if (size > limit)
    return unread(Unread::kLarge, is_larger_than(limit));
  result.text.resize(size);
  return result;
}

}  // namespace

BoundedText read_bounded(const std::filesystem::path& file, std::size_t limit, Links links) {
  return read_bounded_at(AT_FDCWD, file.c_str(), limit, links);
}

BoundedText read_bounded_at(int at, const char* name, std::size_t limit, Links links) {
  // Opening a device may have side effects: look first.
  struct stat info {};
  const int stat_flags = links == Links::kRefuse ? AT_SYMLINK_NOFOLLOW : 0;
  if (fstatat(at, name, &info, stat_flags) != 0) return refused();
  if (auto other = judge(info, limit)) return *other;
  const int open_flags = links == Links::kRefuse ? O_NOFOLLOW : 0;
  const int fd = openat(at, name, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | open_flags);
  if (fd < 0) return errno == ELOOP ? unread(Unread::kLink, "is a link, not a file") : refused();
  BoundedText result = read_open(fd, limit);
  close(fd);
  return result;
}

}  // namespace indexfuzz
