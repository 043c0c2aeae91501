#pragma once
// What implementations make of case files.

#include <chrono>
#include <map>
#include <vector>

#include "campaign/examine/examine.h"
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
  /// The verdict on the last case of the file, all of them run in order in one process. A case
  /// before the last that ends the process is taken for the judged one. `returned`, where not null,
  /// gets what the call returned. Throws Interruption.
  Verdict run(const CaseFile& file, std::uint32_t implementation,
              ReturnedElements* returned = nullptr);
  // In the following, `c` stands behind the same cases as the judged one of the last run did.
  /// How a failing case fails in nine fresh runs.
  Confirmation confirm_failure(const Case& c, const Verdict& verdict, std::uint32_t implementation);
  /// Signature of a failing case as it stands: nothing is shrunk.
  Signature sign(const Case& c, const Confirmation& confirmation, std::uint32_t implementation);
  /// The smallest cases, the last of which fails in the same way behind the others.
  std::vector<Case> minimal(const Case& c, const Confirmation& confirmation,
                            std::uint32_t implementation);
  /// The cases of the last run's file behind which alone the judged one failed.
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
