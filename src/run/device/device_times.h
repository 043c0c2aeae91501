#pragma once
// Where the time of a worker on GPUs goes.

#include <chrono>
#include <cstdint>

#include "run/shared/protocol.h"

namespace indexfuzz {

/// Seconds of the thread that calls, by phase, and how much was done in them.
struct DeviceTimes {
  double waiting = 0;    ///< for cases that are being drawn and laid out
  double placing = 0;    ///< choosing, addresses on the device, sending
  double calling = 0;    ///< tensors, boxed calls, descriptions of what came back
  double checking = 0;   ///< the device's checks, and waiting for all its work
  double judging = 0;    ///< verdicts, counting, freeing
  double reporting = 0;  ///< findings to the supervisor, which takes one at a time
  double metering = 0;   ///< what the device holds, and the search for calls that let it grow
  double preparing = 0;  ///< by the threads that draw and lay out
  std::uint64_t calls = 0;
  std::uint64_t fetched = 0;  ///< among them, those brought to the host's judge
};

/// Adds to a slot's counters what `times` has gained since `counted`, which becomes `times`.
void count_times(const DeviceTimes& times, DeviceTimes& counted, GpuCounters& counters);

/// Adds the time since the last stroke to a phase.
class PhaseClock {
 public:
  void stroke(double& phase) {
    const auto now = std::chrono::steady_clock::now();
    phase += std::chrono::duration<double>(now - last_).count();
    last_ = now;
  }
  void restart() { last_ = std::chrono::steady_clock::now(); }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace indexfuzz
