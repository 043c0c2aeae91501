#pragma once
// How far a process could have come: on a machine with too much to do it stands still, and does not
// hang.

#include <sys/types.h>

#include <chrono>

namespace indexfuzz {

/// Looks at one process again and again.
class RunningTime {
 public:
  using Duration = std::chrono::nanoseconds;
  /// Of the time that has passed since the last look, all of it while the threads sleep; while any
  /// is ready to run, no more than they were given of the processors. All of it where nothing is
  /// known of the process, and at the first look.
  Duration of(pid_t pid, Duration passed);

 private:
  pid_t pid_ = 0;
  Duration used_{0};   ///< processor time of all threads, at the last look
  Duration spare_{0};  ///< of it, what was not counted yet: systems tell of it some ticks at a time
};

}  // namespace indexfuzz
