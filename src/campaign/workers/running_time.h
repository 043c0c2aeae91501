#pragma once
// How much time a process had for progress: on an overloaded machine it waits without hanging.

#include <sys/types.h>

#include <chrono>

namespace indexfuzz {

/// Looks at one process again and again.
class RunningTime {
 public:
  using Duration = std::chrono::nanoseconds;
  /// How much of the time `passed` since the last look counts. If any thread of the process is
  /// ready to run: at most the processor time that its threads were given. If all sleep, if nothing
  /// is known of the process, and at the first look: all of it.
  Duration of(pid_t pid, Duration passed);

 private:
  pid_t pid_ = 0;
  Duration used_{0};   ///< processor time of all threads, at the last look
  Duration spare_{0};  ///< of it, not counted yet: systems report it several ticks at a time
};

}  // namespace indexfuzz
