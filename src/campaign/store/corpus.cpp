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

#include "campaign/store/durable.h"
#include "case/strings/printable.h"

namespace indexfuzz {
namespace {

namespace fs = std::filesystem;

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
    if (type == S_IFLNK) return aside(Unread::kLink, path, "is a link, not a file");
    if (type == S_IFDIR && !named) return nested(at, name, path, depth);
    if (!named) return false;
    BoundedText read = read_bounded_at(at, name.c_str(), kMostCaseBytes, Links::kRefuse);
    // It was there when its folder was listed.
    if (read.unread == Unread::kMissing) return aside(Unread::kUnreadable, path, read.why);
    if (!read.is_read()) return aside(read.unread, path, read.why);
    ParsedCaseFile parsed = parse_case_file(path, read.text);
    if (!parsed.error.empty()) return aside(Unread::kDamaged, path, parsed.error);
    corpus_.files.push_back(std::move(parsed.file));
    return true;
  }

  bool nested(int at, const std::string& name, const fs::path& path, int depth) {
    if (depth == kMostNested) {
      return aside(Unread::kDeep, path,
                   fmt::format("is nested deeper than {} folders", kMostNested));
    }
    const Folder inner = open_folder(at, name.c_str(), O_NOFOLLOW);
    if (inner) return folder(inner.get(), path, depth + 1);
    return aside(Unread::kUnreadable, path, fmt::format("cannot be read: {}", strerror(errno)));
  }

  bool aside(Unread why, const fs::path& path, const std::string& text) {
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
    ParsedCaseFile parsed = load_case_file(path);
    if (parsed.error.empty())
      corpus.files.push_back(std::move(parsed.file));
    else
      corpus.unreadable.push_back({printable(path), std::move(parsed.error)});
  }
  return corpus;
}

std::string in_words(const std::vector<SetAside>& aside) {
  struct Words {
    Unread why;
    const char *one, *many;
  };
  constexpr std::array kWords{
      Words{Unread::kLink, "link", "links"},
      Words{Unread::kFifo, "FIFO", "FIFOs"},
      Words{Unread::kSocket, "socket", "sockets"},
      Words{Unread::kDevice, "device", "devices"},
      Words{Unread::kFolder, "folder named like a case", "folders named like a case"},
      Words{Unread::kLarge, "larger than 1 MiB", "larger than 1 MiB"},
      Words{Unread::kUnreadable, "unreadable", "unreadable"},
      Words{Unread::kDamaged, "no legal case", "no legal cases"},
      Words{Unread::kDeep, "folder nested too deep", "folders nested too deep"},
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
