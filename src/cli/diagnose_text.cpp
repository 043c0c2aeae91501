#include "cli/diagnose_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace indexfuzz {
namespace {

/// The path of a log that is kept; empty if it is not.
std::string kept_log(const ToolRun& run, const std::filesystem::path& folder) {
  return run.log.empty() || folder.empty() ? "" : (folder / run.log).string();
}

}  // namespace

std::string tool_line(const ToolRun& run, const std::filesystem::path& folder) {
  const std::string log = kept_log(run, folder);
  const std::string_view state =
      run.state == ToolRun::State::kRan ? in_words(run.shown) : name(run.state);
  return fmt::format("{:<17}  {:<11}  {}{}{}\n", run.name, state, fmt::join(run.says, "; "),
                     log.empty() ? "" : "  ", log);
}

nlohmann::ordered_json diagnosis_json(const Diagnosis& diagnosis,
                                      const std::filesystem::path& folder) {
  nlohmann::ordered_json tools = nlohmann::ordered_json::array();
  for (const ToolRun& run : diagnosis.runs) {
    const std::string log = kept_log(run, folder);
    tools.push_back(
        {{"name", run.name},
         {"state", name(run.state)},
         {"shown", in_words(run.shown)},
         {"says", run.says},
         {"log", log.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(log)}});
  }
  return {{"case", diagnosis.case_file},
          {"implementation", diagnosis.implementation},
          {"tools", tools},
          {"conclusion", diagnosis.conclusion}};
}

}  // namespace indexfuzz
