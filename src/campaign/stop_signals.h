#pragma once
// SIGINT, SIGTERM and SIGUSR1 as something that can be asked for.

namespace indexfuzz {

/// Owns the blocking of these signals in this process; its children start with none blocked.
class StopSignals {
 public:
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
