#pragma once
// What several runs of one case, bare and under tools, tell together.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "campaign/programs/program_outcome.h"

namespace indexfuzz {

/// The setting of a run without a tool.
struct Setting {
  int threads = 1;
  bool wide_vectors = true;  ///< PyTorch took the widest vector instructions that it has
  bool waits = false;        ///< each launch on the GPU was waited for
};

struct ToolRun {
  enum class State : std::uint8_t { kRan, kSkipped, kTimedOut };
  std::string name;  ///< "gdb"
  State state = State::kSkipped;
  Shown shown = Shown::kCannotTell;
  std::vector<std::string> says;   ///< what was seen; why it was skipped
  std::string log;                 ///< the name of a file, "gdb.log"; empty if it was skipped
  std::optional<Setting> setting;  ///< of a run without a tool
  bool saw_no_fault = false;       ///< a tool watched the program to its end and saw nothing
};
std::string_view name(ToolRun::State state);  ///< "ran", "skipped", "timed out"

/// Lines in plain words: in how many of the runs without a tool the result was wrong, and which
/// settings these share that no other run has; then the first thing that each tool saw, and which
/// tools saw nothing. `intermittent`: the case does not fail every time.
std::vector<std::string> conclusion(std::span<const ToolRun> runs, bool intermittent);

/// Whether any run could tell right from wrong.
bool any_conclusive(std::span<const ToolRun> runs);

}  // namespace indexfuzz
