#pragma once
// A run in a process that was started by exec and has run nothing before, beside other work.

#include <atomic>
#include <cstdint>
#include <deque>
#include <future>
#include <memory>
#include <optional>

#include "campaign/workers/runner.h"
#include "campaign/workers/zygote_client.h"

namespace indexfuzz {

/// Owns a zygote of its own, which gets ready from the construction on.
class FreshProcess {
 public:
  FreshProcess(const WorkerCommand& command, bool strict);
  FreshProcess(const FreshProcess&) = delete;
  FreshProcess& operator=(const FreshProcess&) = delete;
  ~FreshProcess();

  /// Starts the run of the cases, in order in one child of the process, and returns at once. One at
  /// a time.
  void begin(std::vector<Case> cases, const RunOptions& options);
  /// Waits for the verdict on the last case; none if an earlier one ended the process, it could not
  /// be started, or `pulse`, which is called meanwhile, became true.
  std::optional<Verdict> finish(const Pulse& pulse);

 private:
  std::optional<Verdict> run(const std::vector<Case>& cases, const RunOptions& options);

  std::atomic<bool> stopped_ = false;
  ZygoteClient zygote_;
  bool strict_;
  std::future<std::optional<Verdict>> result_;
};

/// A supply of fresh processes, with `in_advance` started before they are needed: beside a GPU's
/// workers they take seconds to get ready.
class FreshProcesses {
 public:
  FreshProcesses(const WorkerCommand& command, bool strict, bool in_advance);

  /// Starts the processes that are to be ready in advance.
  void refill();
  /// Null if the system has no process or descriptor to spare, as it may have again soon.
  std::unique_ptr<FreshProcess> take();

 private:
  bool start_one();

  WorkerCommand command_;
  bool strict_;
  bool in_advance_;
  std::deque<std::unique_ptr<FreshProcess>> ready_;
};

}  // namespace indexfuzz
