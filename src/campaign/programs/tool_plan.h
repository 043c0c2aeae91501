#pragma once
// The ways in which a person would run one case again, and the tools that they would reach for.

#include <optional>
#include <string>
#include <vector>

#include "campaign/programs/diagnosis.h"
#include "campaign/programs/tool_log.h"
#include "reproduce/reproduction.h"

namespace indexfuzz {

/// One run of the case's stand-alone program.
struct Tool {
  std::string name;                      ///< "gdb"
  std::string why_not;                   ///< why it is not run; empty if it is
  std::string program;                   ///< the text of the program, in Python
  std::vector<std::string> environment;  ///< "OMP_NUM_THREADS=1"
  std::vector<std::string> command;      ///< what is put before the Python; empty without a tool
  std::optional<Setting> setting;        ///< of a run without a tool
  ToolLog (*read)(std::string_view log) = nullptr;  ///< null without a tool
};

/// All that make sense for the case, the bare program as it is first, and the others with the
/// reason why they do not. Looks for the tools on this machine.
std::vector<Tool> tools_for(const Reproduction& reproduction);

}  // namespace indexfuzz
