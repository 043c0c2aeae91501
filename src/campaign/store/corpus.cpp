#include "campaign/store/corpus.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>

#include "campaign/failure.h"
#include "campaign/store/bounded_read.h"
#include "campaign/store/durable.h"
#include "case/strings/printable.h"

namespace indexfuzz {
namespace {

namespace fs = std::filesystem;
using Why = SetAside::Why;

Why why_of(Unread unread) {
  switch (unread) {
    case Unread::kLink: return Why::kLink;
    case Unread::kFifo: return Why::kFifo;
    case Unread::kSocket: return Why::kSocket;
    case Unread::kDevice: return Why::kDevice;
    case Unread::kFolder: return Why::kFolder;
    case Unread::kLarge: return Why::kLarge;
    case Unread::kNothing:
    case Unread::kMissing:
    case Unread::kRefused: return Why::kUnreadable;
  }
  return Why::kUnreadable;
}

struct CloseFolder {
  void operator()(DIR* folder) const { closedir(folder); }
};
using Folder = std::unique_ptr<DIR, CloseFolder>;

Folder open_folder(int at, const char* name, int more_flags) {
  const int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NONBLOCK | O_CLOEXEC | more_flags);
  if (fd < 0) return nullptr;
  Folder folder(fdopendir(fd));
  if (!folder) close(fd);
  return folder;
}

std::vector<std::string> names_in(DIR* folder) {
  std::vector<std::string> names;
  while (const dirent* entry = readdir(folder)) {
    const std::string name = entry->d_name;
    if (name != "." && name != ".." && !name.starts_with(kTemporaryPrefix)) names.push_back(name);
  }
  std::ranges::sort(names);
  return names;
}

/// The error in "FILE: error".
std::string without_name(const SetupError& error, const fs::path& file) {
  return std::string(error.what()).substr(printable(file.string()).size() + 2);
}

/// Walks by descriptors, so that a folder which is replaced by a link meanwhile leads nowhere else.
class Walk {
 public:
  explicit Walk(Corpus& corpus) : corpus_(corpus) {}

  /// Reads a folder; whether it held a case file or anything that was set aside.
  bool folder(DIR* open, const fs::path& path, int depth) {
    bool any = false;
    for (const std::string& name : names_in(open)) {
      struct stat info {};
      if (fstatat(dirfd(open), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) continue;
      any |= entry(dirfd(open), name, path / name, info.st_mode & S_IFMT, depth);
    }
    return any;
  }

 private:
  bool entry(int at, const std::string& name, const fs::path& path, mode_t type, int depth) {
    const bool named = name.ends_with(".case");
    if (type == S_IFLNK) return aside(Why::kLink, path, "is a link, not a file");
    if (type == S_IFDIR && !named) return nested(at, name, path, depth);
    if (!named) return false;
    BoundedText read = read_bounded_at(at, name.c_str(), kMostCaseBytes, Links::kRefuse);
    if (!read.is_read()) return aside(why_of(read.unread), path, read.why);
    try {
      corpus_.files.push_back(parse_case_file(path, read.text));
    } catch (const SetupError& error) {
      return aside(Why::kDamaged, path, without_name(error, path));
    }
    return true;
  }

  bool nested(int at, const std::string& name, const fs::path& path, int depth) {
    if (depth == kMostNested) {
      return aside(Why::kDeep, path, fmt::format("is nested deeper than {} folders", kMostNested));
    }
    const Folder inner = open_folder(at, name.c_str(), O_NOFOLLOW);
    if (inner) return folder(inner.get(), path, depth + 1);
    return aside(Why::kUnreadable, path, fmt::format("cannot be read: {}", strerror(errno)));
  }

  bool aside(Why why, const fs::path& path, const std::string& text) {
    corpus_.aside.push_back({why, printable(path.string()), text});
    return true;
  }

  Corpus& corpus_;
};

}  // namespace

Corpus read_corpus(const std::vector<std::string>& paths) {
  Corpus corpus;
  for (const std::string& path : paths) {
    if (const Folder folder = open_folder(AT_FDCWD, path.c_str(), 0)) {
      if (!Walk(corpus).folder(folder.get(), path, 0)) {
        corpus.unreadable.push_back({printable(path), "holds no file that ends in .case"});
      }
      continue;
    }
    try {
      corpus.files.push_back(read_case_file(path));
    } catch (const SetupError& error) {
      corpus.unreadable.push_back({printable(path), without_name(error, path)});
    }
  }
  return corpus;
}

std::string in_words(const std::vector<SetAside>& aside) {
  struct Words {
    Why why;
    const char *one, *many;
  };
  constexpr std::array kWords{
      Words{Why::kLink, "link", "links"},
      Words{Why::kFifo, "FIFO", "FIFOs"},
      Words{Why::kSocket, "socket", "sockets"},
      Words{Why::kDevice, "device", "devices"},
      Words{Why::kFolder, "folder named like a case", "folders named like a case"},
      Words{Why::kLarge, "larger than 1 MiB", "larger than 1 MiB"},
      Words{Why::kUnreadable, "unreadable", "unreadable"},
      Words{Why::kDamaged, "no legal case", "no legal cases"},
      Words{Why::kDeep, "folder nested too deep", "folders nested too deep"},
  };
  static_assert(kMostCaseBytes == 1 << 20);
  if (aside.empty()) return "";
  std::vector<std::string> parts;
  for (const Words& words : kWords) {
    const auto count = std::ranges::count(aside, words.why, &SetAside::why);
    if (count > 0)
      parts.push_back(fmt::format("{} {}", count, count == 1 ? words.one : words.many));
  }
  return fmt::format("{} set aside: {}", aside.size(), fmt::join(parts, ", "));
}

}  // namespace indexfuzz
