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

#include "campaign/examine/finding.h"
#include "campaign/temporary_folder.h"
#include "campaign/workers/subprocess.h"

namespace indexfuzz {

/// The command that compiles a stand-alone program against the LibTorch in use; empty if there is
/// no compiler or no LibTorch with headers.
std::vector<std::string> compile_command(const std::filesystem::path& source,
                                         const std::filesystem::path& program);
/// The Python that runs repro.py if the user names none; may be empty.
std::string default_python();

/// Runs one program at a time.
class Verifier {
 public:
  /// `python`: runs repro.py if its torch is of the release of `torch`, the version under test:
  /// another one may lack the bug. `limit`: for each of the two programs of a finding, and for
  /// compiling one.
  Verifier(std::string python, std::string torch, std::chrono::seconds limit = kProgramLimit);

  void add(const std::string& id, std::filesystem::path folder);

  struct Result {
    std::string id;
    Verified python = Verified::kUnknown;
    Verified cpp = Verified::kUnknown;
    /// What a program did that did not exit with 1, or why it was not run. Empty if this machine
    /// runs none.
    std::string note;
  };
  /// Goes on with the work, and returns the next finding that is finished, if any. Never waits.
  std::optional<Result> poll();
  bool idle() const { return queue_.empty() && step_ == Step::kIdle; }

 private:
  enum class Step { kIdle, kProbe, kPython, kCompile, kCpp };
  struct Work {
    std::string id;
    std::filesystem::path folder;
  };
  void begin(Step step);
  void finish(Step step, const ProgramEnd& end);
  std::chrono::seconds time_left() const;
  void add_note(const std::string& text);
  Verified read(const ProgramEnd& end, const std::string& program);
  /// The path of the compiled program; empty, with a note, if no folder can be made for it.
  std::filesystem::path program();

  void finish_probe(const ProgramEnd& end);

  // The programs wait 20 s for a call that hangs, and Python may take as long to import torch.
  static constexpr std::chrono::seconds kProgramLimit{60};

  std::string python_;
  std::string torch_;
  std::chrono::seconds limit_;
  /// The version of Python's torch: none until it has said so, empty if it has no torch.
  std::optional<std::string> python_torch_;
  std::optional<TemporaryFolder> scratch_;
  std::deque<Work> queue_;
  Step step_ = Step::kIdle;
  std::unique_ptr<Subprocess> process_;
  std::chrono::steady_clock::time_point deadline_;
  Result current_;
  bool done_ = false;
};

}  // namespace indexfuzz
