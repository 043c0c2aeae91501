#pragma once
// A run in a process that was started by exec and has run nothing before, beside other work.

#include <atomic>
#include <future>
#include <optional>

#include "campaign/runner.h"
#include "campaign/zygote_client.h"

namespace indexfuzz {

/// Owns a zygote of its own, which gets ready from the construction on.
class FreshProcess {
 public:
  FreshProcess(const WorkerCommand& command, bool strict);
  FreshProcess(const FreshProcess&) = delete;
  FreshProcess& operator=(const FreshProcess&) = delete;
  ~FreshProcess();

  /// Starts the run of the cases, in order in one process, and returns at once. One at a time.
  void begin(std::vector<Case> cases, const RunOptions& options);
  /// Waits for the verdict on the last case; none where an earlier one ended the process, it could
  /// not be started, or `interrupted` became true.
  std::optional<Verdict> finish(const Interrupted& interrupted);

 private:
  std::optional<Verdict> run(const std::vector<Case>& cases, const RunOptions& options);

  ZygoteClient zygote_;
  bool strict_;
  std::atomic<bool> stopped_ = false;
  std::future<std::optional<Verdict>> result_;
};

}  // namespace indexfuzz
