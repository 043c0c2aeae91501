#include "campaign/store/event_log.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <ctime>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "campaign/store/durable.h"

namespace indexfuzz {
namespace {

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

/// The size up to the end of the last whole line.
std::int64_t whole_lines(int fd, std::int64_t size) {
  char block[4096];
  while (size > 0) {
    const std::int64_t begin = std::max<std::int64_t>(0, size - std::int64_t{sizeof block});
    const ssize_t got = pread(fd, block, static_cast<std::size_t>(size - begin), begin);
    if (got <= 0) return size;
    for (ssize_t i = got; i > 0; --i) {
      if (block[i - 1] == '\n') return begin + i;
    }
    size = begin;
  }
  return 0;
}

}  // namespace

EventLog::EventLog(const std::filesystem::path& folder)
    : file_(folder / "log.jsonl"), old_(folder / "log.old.jsonl") {
  open_file();
}

EventLog::~EventLog() {
  if (fd_ >= 0) close(fd_);
}

void EventLog::open_file() {
  if (fd_ >= 0) close(fd_);
  fd_ = open(file_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0644);
  struct stat info {};
  if (fd_ < 0 || fstat(fd_, &info) != 0) fail_to_store(file_);
  size_ = whole_lines(fd_, info.st_size);
  if (size_ < info.st_size && ftruncate(fd_, size_) != 0) fail_to_store(file_);
}

void EventLog::add(const nlohmann::ordered_json& event) {
  nlohmann::ordered_json line{{"time", timestamp()}};
  line.update(event);
  const std::string text =
      line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  const auto length = static_cast<std::int64_t>(text.size());
  if (size_ > 0 && size_ + length > kLimit) {
    if (rename(file_.c_str(), old_.c_str()) != 0) fail_to_store(file_);
    // If there is no room for a new file now, the next call must not rename it again.
    size_ = 0;
    close(std::exchange(fd_, -1));
  }
  if (fd_ < 0) open_file();
  try {
    write_all(fd_, text, file_);
  } catch (const StorageError&) {
    (void)!ftruncate(fd_, size_);
    throw;
  }
  size_ += length;
}

}  // namespace indexfuzz
