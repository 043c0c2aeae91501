#pragma once
// What `diagnose` prints.

#include <nlohmann/json_fwd.hpp>

#include <filesystem>
#include <span>
#include <string>

#include "campaign/programs/diagnosis.h"

namespace indexfuzz {

/// "gdb           wrong        SIGSEGV in f (libx.so)  DIR/gdb.log". Without a log if `folder`,
/// where logs are kept, is empty.
std::string tool_line(const ToolRun& run, const std::filesystem::path& folder);

struct Diagnosis {
  std::string case_file;
  std::string implementation;
  std::vector<ToolRun> runs;
  std::vector<std::string> conclusion;
};

/// {case, implementation, tools: [{name, state, shown, says, log}], conclusion}; `log` is null if
/// none is kept.
nlohmann::ordered_json diagnosis_json(const Diagnosis& diagnosis,
                                      const std::filesystem::path& folder);

}  // namespace indexfuzz
