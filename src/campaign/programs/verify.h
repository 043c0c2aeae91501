#pragma once
// Runs the stand-alone programs of findings: without indexfuzz, with plain PyTorch, they must
// exit 1.

#include <chrono>
#include <deque>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "campaign/programs/verified.h"
#include "campaign/temporary_folder.h"
#include "campaign/workers/subprocess.h"

namespace indexfuzz {

/// What the programs of a finding are run with.
struct ProgramSetup {
  std::string python;          ///< runs repro.py; may be empty
  std::string torch;           ///< the version under test: another one may lack the bug
  std::chrono::seconds limit;  ///< for each of the two programs, and for compiling one
  /// The version of torch in that Python: none until Python has told, empty if it has no torch.
  std::optional<std::string> python_torch;
};

struct ProgramResult {
  std::string id;  ///< of the finding
  Verified python = Verified::kCannotRun;
  Verified cpp = Verified::kCannotRun;
  /// What a program did that did not exit with 1, or why it was not run. Empty if this machine
  /// runs none.
  std::string note;
};

/// Runs the programs of one finding, one after the other.
class ProgramRun {
 public:
  /// `setup` is borrowed. A run that finds `python_torch` unset asks Python for it first, and sets
  /// it.
  ProgramRun(ProgramSetup& setup, const std::string& id, std::filesystem::path folder);

  /// Goes on with the work, and returns the result once there is one. Never waits.
  std::optional<ProgramResult> poll();

 private:
  enum class Step { kProbe, kPython, kCompile, kCpp, kDone };
  void begin(Step step);
  void finish(const ProgramEnd& end);
  void finish_probe(const ProgramEnd& end);
  void add_note(const std::string& text);
  Verified read(const ProgramEnd& end, const std::string& program);
  /// The path of the compiled program; empty, with a note, if no folder can be made for it.
  std::filesystem::path program();

  ProgramSetup& setup_;
  std::filesystem::path folder_;
  std::optional<TemporaryFolder> scratch_;
  std::unique_ptr<Subprocess> process_;
  Step step_ = Step::kProbe;
  ProgramResult result_;
};

/// Runs the programs of several findings at a time, beside a campaign.
class Verifier {
 public:
  // The programs wait 20 s for a call that hangs, and Python may take as long to import torch.
  static constexpr std::chrono::seconds kProgramLimit{60};

  /// See ProgramSetup.
  Verifier(std::string python, std::string torch, std::chrono::seconds limit = kProgramLimit);

  /// Sets for how many findings programs run at a time, at least 1. Until this is called: 1.
  void run_at_once(std::size_t findings) { at_once_ = findings; }

  /// Queues the programs of the finding `id`, which lie in `folder`.
  void add(const std::string& id, std::filesystem::path folder);

  /// Goes on with the work, and returns the next finding that is finished, if any. Never waits.
  std::optional<ProgramResult> poll();
  bool idle() const { return waiting_.empty() && running_.empty(); }

 private:
  struct Work {
    std::string id;
    std::filesystem::path folder;
  };

  ProgramSetup setup_;
  std::size_t at_once_ = 1;
  std::deque<Work> waiting_;
  std::vector<std::unique_ptr<ProgramRun>> running_;
};

}  // namespace indexfuzz
