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
  /// `opened`: an implementation whose GPU a child opens at once; none: the child is forked for the
  /// run.
  FreshProcess(const WorkerCommand& command, bool strict,
               std::optional<std::uint32_t> opened = std::nullopt);
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

  std::atomic<bool> stopped_ = false;
  ZygoteClient zygote_;
  bool strict_;
  std::future<std::unique_ptr<Spares>> opened_;  ///< while its GPU is being opened
  std::unique_ptr<Spares> spares_;               ///< null: a child is forked for each run
  std::future<std::optional<Verdict>> result_;
};

/// Fresh processes in advance: on a GPU they take seconds to get ready.
class FreshProcesses {
 public:
  /// None in advance where no implementation's GPU is to be `opened`.
  FreshProcesses(const WorkerCommand& command, bool strict, std::optional<std::uint32_t> opened);

  /// Starts those that are to be ready in advance.
  void refill();
  /// Null where the system has no process or descriptor to spare, as it may have again soon.
  std::unique_ptr<FreshProcess> take();

 private:
  bool start_one();

  WorkerCommand command_;
  bool strict_;
  std::optional<std::uint32_t> opened_;
  std::deque<std::unique_ptr<FreshProcess>> ready_;
};

}  // namespace indexfuzz
