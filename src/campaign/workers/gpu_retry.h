#pragma once
// A GPU that serves no new process for a moment.

#include <chrono>

#include "run/shared/protocol.h"

namespace indexfuzz {

/// When to start a child again that could not use its GPU. After a fault, an MPS server accepts no
/// new clients until it has shut down the old ones; meanwhile the driver reports the GPU as busy.
class GpuRetry {
 public:
  using Time = std::chrono::steady_clock::time_point;

  /// The child that was in the slot could not use its GPU. Throws DeviceMissing if waiting would
  /// not help, or has not helped for many tries.
  void failed(const Slot& slot, Time now);
  void succeeded() { failures_ = 0; }
  /// Whether it is too early to start a child.
  bool waits(Time now) const { return failures_ > 0 && now < next_; }

 private:
  int failures_ = 0;  ///< in a row
  Time next_{};
};

/// Whether the error by which a child could not use its GPU may be temporary.
bool is_temporary(const Slot& slot);

}  // namespace indexfuzz
