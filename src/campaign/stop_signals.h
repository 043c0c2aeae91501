#pragma once
// SIGINT, SIGTERM, SIGUSR1 and, unless it is ignored, SIGHUP as a flag that can be polled.

namespace indexfuzz {

/// Blocks these signals in this process while it lives. Children inherit that and must undo it.
class StopSignals {
 public:
  /// Throws SetupError if the system has no descriptor for them.
  StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;
  ~StopSignals();

  /// True from the first signal on.
  bool arrived() const;

 private:
  int fd_ = -1;
  mutable bool arrived_ = false;
};

}  // namespace indexfuzz
