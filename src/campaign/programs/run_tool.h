#pragma once
// One run of a case's stand-alone program, in a fresh process.

#include <chrono>
#include <filesystem>
#include <string>

#include "campaign/programs/tool_plan.h"
#include "campaign/stop_signals.h"

namespace indexfuzz {

/// Where and how tools are run.
struct Workbench {
  std::string python;            ///< a path, or a name to look up in PATH
  std::filesystem::path folder;  ///< gets NAME.py, and NAME.log with all that was printed
  std::chrono::seconds limit;    ///< for each run
};

/// Runs the program, and says what was seen. Throws StorageError, Interruption.
ToolRun run_tool(const Tool& tool, const Workbench& bench, const StopSignals& signals);

}  // namespace indexfuzz
