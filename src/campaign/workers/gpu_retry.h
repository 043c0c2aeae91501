#pragma once
// A GPU that serves no new process for a moment.

#include <chrono>

#include "run/protocol.h"

namespace indexfuzz {

/// When a child that could not use its GPU is started once more. An MPS server takes no new client
/// while it still ends those of before a fault, and the driver then calls the GPU busy.
class GpuRetry {
 public:
  using Time = std::chrono::steady_clock::time_point;

  /// Of the child that was in the slot. Throws DeviceMissing where it would be no use to wait, or
  /// has been none.
  void failed(const Slot& slot, Time now);
  void succeeded() { failures_ = 0; }
  /// Whether it is too early to start one.
  bool waits(Time now) const { return failures_ > 0 && now < next_; }

 private:
  int failures_ = 0;  ///< in a row
  Time next_{};
};

/// Whether what a child said when it could not use its GPU may pass.
bool may_pass(const Slot& slot);

}  // namespace indexfuzz
