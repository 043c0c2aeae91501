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
  return unread(Unread::kRefused, fmt::format("cannot be read: {}", strerror(number)));
}

/// What is no file of a possible size.
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
  return unread(Unread::kLarge, fmt::format("is larger than {} MiB", limit >> 20));
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
    return unread(Unread::kLarge, fmt::format("is larger than {} MiB", limit >> 20));
  result.text.resize(size);
  return result;
}

/// The bytes of the character at the front of a text, 0 where it is none that may be printed.
std::size_t character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return first >= ' ' && first != 0x7f ? 1 : 0;
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  // Surrogates, overlong forms, beyond the last character, and the C1 control characters.
  const unsigned char second = byte(1);
  const bool bad = (first == 0xc2 && second < 0xa0) || (first == 0xe0 && second < 0xa0) ||
                   (first == 0xed && second > 0x9f) || (first == 0xf0 && second < 0x90) ||
                   (first == 0xf4 && second > 0x8f);
  return bad ? 0 : length;
}

}  // namespace

BoundedText read_bounded(const std::filesystem::path& file, std::size_t limit, Links links) {
  return read_bounded_at(AT_FDCWD, file.c_str(), limit, links);
}

BoundedText read_bounded_at(int at, const char* name, std::size_t limit, Links links) {
  // To open a device may already do something.
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

std::string printable(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t length = character(text);
    if (length == 0) {
      result += fmt::format("\\x{:02X}", static_cast<unsigned char>(text.front()));
    } else {
      result += text.substr(0, length);
    }
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return result;
}

}  // namespace indexfuzz
