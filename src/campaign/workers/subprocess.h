#pragma once
// A program that is run to its end beside other work.

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace indexfuzz {

/// Owns the process and whatever it starts in its group: both end with the object, and leave no
/// zombies. Its output goes to a file in memory. It has low priority and leaves no core file.
class Subprocess {
 public:
  /// argv[0] is looked up in PATH. A program that cannot be started ends with exit code 127.
  Subprocess(const std::vector<std::string>& argv, std::chrono::seconds limit);
  Subprocess(const Subprocess&) = delete;
  Subprocess& operator=(const Subprocess&) = delete;
  ~Subprocess();

  static constexpr int kTimedOut = 1000;
  static constexpr int kSignalled = 2000;  ///< plus the signal's number

  /// The exit code once it has ended, or one of the above. Never waits.
  std::optional<int> poll();
  /// Waits for the end.
  int wait();
  /// What it has written so far, both streams together, the last 64 KiB.
  std::string output() const;

 private:
  pid_t pid_ = -1;
  int output_ = -1;
  std::chrono::steady_clock::time_point deadline_;
  std::optional<int> result_;
};

}  // namespace indexfuzz
