#include "campaign/store/durable.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "campaign/store/folder_entries.h"

namespace indexfuzz {
namespace {

namespace fs = std::filesystem;

fs::path temporary_of(const fs::path& target) {
  return target.parent_path() / (std::string(kTemporaryPrefix) + target.filename().string());
}

fs::path folder_of(const fs::path& file) {
  return file.has_parent_path() ? file.parent_path() : fs::path(".");
}

void write_new(const fs::path& file, std::string_view text, Flush flush) {
  const int fd = open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd < 0) fail_to_store(file);
  try {
    write_all(fd, text, file);
    // Some file systems report a full disk only here, and some only when the file is closed.
    if (flush == Flush::kAtOnce && fsync(fd) != 0 && errno != EINVAL) fail_to_store(file);
  } catch (...) {
    close(fd);
    throw;
  }
  if (close(fd) != 0) fail_to_store(file);
}

/// Runs `write`; if it throws, removes what lies at `temporary`.
template <typename Write>
void or_nothing(const fs::path& temporary, Write&& write) {
  try {
    write();
  } catch (...) {
    std::error_code error;
    fs::remove_all(temporary, error);
    throw;
  }
}

}  // namespace

void fail_to_store(const fs::path& file) {
  const int number = errno;
  const std::string sentence = fmt::format("cannot store {}: {}.", file.string(), strerror(number));
  if (number == ENOSPC || number == EDQUOT || number == EFBIG) throw DiskFull(sentence);
  throw StorageError(sentence);
}

void write_all(int fd, std::string_view text, const fs::path& file) {
  while (!text.empty()) {
    const ssize_t written = write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail_to_store(file);
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

void sync_folder(const fs::path& folder) {
  const int fd = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) fail_to_store(folder);
  const int result = fsync(fd);
  const int number = errno;
  close(fd);
  errno = number;
  // Some file systems cannot, and have nothing to flush.
  if (result != 0 && errno != EINVAL) fail_to_store(folder);
}

void write_whole(const fs::path& file, std::string_view text, Flush flush) {
  const fs::path temporary = temporary_of(file);
  or_nothing(temporary, [&] {
    write_new(temporary, text, flush);
    if (rename(temporary.c_str(), file.c_str()) != 0) fail_to_store(file);
  });
  if (flush == Flush::kAtOnce) sync_folder(folder_of(file));
}

void write_whole_folder(const fs::path& folder, const std::map<std::string, std::string>& files) {
  const fs::path temporary = temporary_of(folder);
  std::error_code error;
  fs::remove_all(temporary, error);
  or_nothing(temporary, [&] {
    if (mkdir(temporary.c_str(), 0755) != 0) fail_to_store(folder);
    for (const auto& [name, text] : files) write_new(temporary / name, text, Flush::kAtOnce);
    sync_folder(temporary);
    if (rename(temporary.c_str(), folder.c_str()) != 0) fail_to_store(folder);
  });
  sync_folder(folder_of(folder));
}

void remove_leftovers(const fs::path& folder) {
  std::error_code error;
  for (const fs::path& entry : entries_of(folder)) {
    if (entry.filename().string().starts_with(kTemporaryPrefix)) fs::remove_all(entry, error);
  }
}

}  // namespace indexfuzz
