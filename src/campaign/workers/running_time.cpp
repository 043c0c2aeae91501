#include "campaign/workers/running_time.h"

#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace indexfuzz {
namespace {

using Duration = RunningTime::Duration;

// Several ticks of the slowest clock.
constexpr Duration kMostSpare = std::chrono::milliseconds(100);

std::optional<Duration> processor_time(pid_t pid) {
  clockid_t clock;
  timespec time;
  // A pid of 0 would mean this process.
  if (pid <= 0 || clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &time) != 0)
    return std::nullopt;
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

/// Whether a thread runs or waits for a processor: state R of proc(5), after the name, which may
/// hold any character but is short.
bool is_ready(const std::filesystem::path& thread) {
  std::array<char, 128> begin;
  const int file = open((thread / "stat").c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  const ssize_t size = read(file, begin.data(), begin.size());
  close(file);
  const std::string_view text(begin.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
  const std::size_t name_end = text.rfind(')');
  return name_end != std::string_view::npos && text.substr(name_end).starts_with(") R");
}

bool any_ready(pid_t pid) {
  std::error_code error;
  const auto threads = "/proc/" + std::to_string(pid) + "/task";
  for (std::filesystem::directory_iterator at(threads, error), end; !error && at != end;
       at.increment(error)) {
    if (is_ready(at->path())) return true;
  }
  return false;
}

}  // namespace

Duration RunningTime::of(pid_t pid, Duration passed) {
  const auto used = processor_time(pid);
  if (!used) return passed;
  const bool first = pid != pid_;
  spare_ = first ? Duration(0) : std::min(spare_ + (*used - used_), std::max(passed, kMostSpare));
  pid_ = pid;
  used_ = *used;
  if (first || !any_ready(pid)) return passed;
  const Duration counted = std::min(passed, spare_);
  spare_ -= counted;
  return counted;
}

}  // namespace indexfuzz
