#pragma once
// A program that is run to its end beside other work.

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace indexfuzz {

/// How a program ended.
struct ProgramEnd {
  enum class How : std::uint8_t { kExited, kSignalled, kTimedOut };
  How how = How::kExited;
  int code = 0;  ///< what it exited with, or the number of the signal
  bool operator==(const ProgramEnd&) const = default;
  bool is_success() const { return *this == ProgramEnd{}; }
};
/// "exited with 3", "died of signal 11", "did not end in time".
std::string in_words(const ProgramEnd& end);

/// How a program that could not be started ends, as in a shell.
inline constexpr ProgramEnd kNotStarted{ProgramEnd::How::kExited, 127};

/// Owns the process and whatever it starts in its group: both end with the object, and leave no
/// zombies. Its output goes to a file in memory, which holds 64 MiB. It has low priority and leaves
/// no core file.
class Subprocess {
 public:
  /// argv[0] is looked up in PATH. A program that cannot be started ends as `kNotStarted`.
  Subprocess(const std::vector<std::string>& argv, std::chrono::seconds limit);
  Subprocess(const Subprocess&) = delete;
  Subprocess& operator=(const Subprocess&) = delete;
  ~Subprocess();

  /// Nothing while it runs. Never waits.
  std::optional<ProgramEnd> poll();
  /// Waits for the end.
  ProgramEnd wait();
  /// What it has written so far, both streams together: the last `most` bytes.
  std::string output(std::size_t most = 1 << 16) const;

 private:
  pid_t pid_ = -1;
  int output_ = -1;
  std::chrono::steady_clock::time_point deadline_;
  std::optional<ProgramEnd> end_;
};

}  // namespace indexfuzz
