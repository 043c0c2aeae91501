#include "campaign/store.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>

#include "campaign/failure.h"

namespace indexfuzz {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const fs::path& path) {
  throw StorageError(fmt::format("cannot store {}: {}.", path.string(), strerror(errno)));
}

void write_all(int fd, std::string_view text, const fs::path& path) {
  while (!text.empty()) {
    const ssize_t written = write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail(path);
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

void sync_folder(const fs::path& folder) {
  const int fd = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) fail(folder);
  const int result = fsync(fd);
  close(fd);
  if (result != 0 && errno != EINVAL) fail(folder);
}

void write_synced(const fs::path& file, std::string_view text) {
  const int fd = open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd < 0) fail(file);
  try {
    write_all(fd, text, file);
  } catch (...) {
    close(fd);
    unlink(file.c_str());
    throw;
  }
  // Some file systems report a full disk only here.
  const bool synced = fsync(fd) == 0;
  const bool closed = close(fd) == 0;
  if (!synced || !closed) fail(file);
}

std::string read_line(int fd) {
  char text[64] = {};
  const ssize_t size = pread(fd, text, sizeof text - 1, 0);
  std::string line(text, static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
  return line.substr(0, line.find('\n'));
}

std::string timestamp() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
  const std::time_t seconds = ms / 1000;
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  char text[32];
  strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &utc);
  return fmt::format("{}.{:03}Z", text, ms % 1000);
}

}  // namespace

void write_whole(const fs::path& file, std::string_view text) {
  const fs::path temporary = file.string() + ".new";
  write_synced(temporary, text);
  if (rename(temporary.c_str(), file.c_str()) != 0) fail(file);
  sync_folder(file.has_parent_path() ? file.parent_path() : fs::path("."));
}

Store::Store(fs::path folder) : folder_(std::move(folder)) {
  std::error_code error;
  fs::create_directories(folder_ / "findings", error);
  if (error) {
    throw SetupError(
        fmt::format("cannot create the folder {}: {}.", folder_.string(), error.message()));
  }
  const fs::path lock = folder_ / ".lock";
  lock_ = open(lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (lock_ < 0) {
    throw SetupError(
        fmt::format("cannot write in the folder {}: {}.", folder_.string(), strerror(errno)));
  }
  if (flock(lock_, LOCK_EX | LOCK_NB) != 0) {
    const std::string owner = read_line(lock_);
    close(lock_);
    throw SetupError(
        fmt::format("another campaign (process {}) is running in {}; give another --out.", owner,
                    folder_.string()));
  }
  const std::string owner = std::to_string(getpid()) + "\n";
  if (ftruncate(lock_, 0) != 0) fail(lock);
  write_all(lock_, owner, lock);
  // Only this campaign can own what an earlier one did not finish.
  for (const auto& entry : fs::directory_iterator(folder_ / "findings", error)) {
    if (entry.path().filename().string().starts_with(".new-")) fs::remove_all(entry.path(), error);
  }
  const fs::path log = folder_ / "log.jsonl";
  log_ = open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (log_ < 0) fail(log);
  struct stat info {};
  if (fstat(log_, &info) == 0) logged_ = info.st_size;
}

Store::~Store() {
  if (log_ >= 0) close(log_);
  if (lock_ >= 0) close(lock_);
}

void Store::save_finding(const std::string& id, const std::map<std::string, std::string>& files) {
  const fs::path target = finding(id);
  const fs::path temporary = folder_ / "findings" / (".new-" + id);
  std::error_code error;
  fs::remove_all(temporary, error);
  if (mkdir(temporary.c_str(), 0755) != 0) fail(temporary);
  for (const auto& [name, text] : files) write_synced(temporary / name, text);
  sync_folder(temporary);
  if (renameat2(AT_FDCWD, temporary.c_str(), AT_FDCWD, target.c_str(), RENAME_NOREPLACE) != 0) {
    // One of an earlier campaign stands there: exchange them, so that one of the two always does.
    const bool exchanged = errno == EEXIST && renameat2(AT_FDCWD, temporary.c_str(), AT_FDCWD,
                                                        target.c_str(), RENAME_EXCHANGE) == 0;
    if (!exchanged) {
      // File systems without these flags.
      fs::remove_all(target, error);
      if (rename(temporary.c_str(), target.c_str()) != 0) fail(target);
    }
    fs::remove_all(temporary, error);
  }
  sync_folder(target.parent_path());
}

void Store::write_summary(const nlohmann::ordered_json& summary) {
  write_whole(folder_ / "summary.json",
              summary.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
}

void Store::log(nlohmann::ordered_json event) {
  if (logged_ > kLogLimit) return;
  nlohmann::ordered_json line{{"time", timestamp()}};
  line.update(event);
  std::string text = line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  logged_ += static_cast<std::int64_t>(text.size());
  if (logged_ > kLogLimit) text = "{\"event\": \"log full\"}\n";
  write_all(log_, text, folder_ / "log.jsonl");
}

}  // namespace indexfuzz
