#pragma once
// Runs case files on implementations, and examines how they fail.

#include <chrono>
#include <map>
#include <vector>

#include "campaign/examine/minimize.h"
#include "campaign/stop_signals.h"
#include "campaign/store/case_file.h"
#include "campaign/workers/runner.h"
#include "campaign/workers/zygote_client.h"

namespace indexfuzz {

/// Owns a zygote on which the cases of files are run.
class CaseSession {
 public:
  /// Throws SetupError, Interruption.
  CaseSession(const WorkerCommand& command, bool strict, std::chrono::milliseconds timeout);

  const Hello& hello() const { return hello_; }
  const WorkerCommand& command() const { return zygote_.command(); }
  /// Runs the file's cases in order in one process. Returns the verdict on the last one or, if an
  /// earlier case ends the process, on that. `returned`, if not null, receives what the call
  /// returned. Throws Interruption.
  Verdict run(const CaseFile& file, std::uint32_t implementation,
              ReturnedElements* returned = nullptr);
  // In the following, `c` runs after the same cases as the judged one of the last run did.
  /// How often, and how, a failing case fails in kForks fresh runs; in 1,000 more if it fails in
  /// none of them and no case runs before it.
  Confirmation confirm_failure(const Case& c, const Verdict& verdict, std::uint32_t implementation);
  /// Signature of a failing case as it stands: nothing is shrunk.
  Signature sign(const Case& c, const Confirmation& confirmation, std::uint32_t implementation);
  /// The smallest cases, the last of which fails in the same way after the others.
  std::vector<Case> minimal(const Case& c, const Confirmation& confirmation,
                            std::uint32_t implementation);
  /// The cases before the judged one in the last run's file; none if it fails alone as well.
  std::vector<Case> before(std::uint32_t implementation) const;

  bool interrupted() const { return signals_.arrived(); }

 private:
  ExamineOptions options(std::uint32_t implementation, Kind kind) const;

  StopSignals signals_;
  ZygoteClient zygote_;
  const Hello& hello_;
  Runner runner_;
  std::chrono::milliseconds timeout_;
  std::map<std::uint32_t, std::vector<Case>> before_;  ///< by implementation
};

}  // namespace indexfuzz
