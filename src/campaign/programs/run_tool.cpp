#include "campaign/programs/run_tool.h"

#include <fmt/format.h>

#include <vector>

#include "campaign/store/durable.h"
#include "campaign/workers/output_file.h"
#include "reproduce/quoting.h"

namespace indexfuzz {
namespace {

namespace fs = std::filesystem;

/// By absolute paths: a person may leave PATH empty, and then only misses tools.
std::vector<std::string> command_line(const Tool& tool, const std::string& python,
                                      const fs::path& program) {
  // The shell opens what a program without a parent of its own writes its marks to.
  std::vector<std::string> words{"/bin/sh", "-c", "exec \"$@\" 9>/dev/null", "sh", "/usr/bin/env"};
  const auto add = [&](const std::vector<std::string>& more) {
    words.insert(words.end(), more.begin(), more.end());
  };
  add(tool.environment);
  add(tool.command);
  add({python, program.string()});
  return words;
}

/// The command as a person types it.
std::string typed(const std::vector<std::string>& words) {
  std::string line;
  for (std::size_t i = 4; i < words.size(); ++i) {
    const bool is_plain = words[i].find_first_of(" \"'\\$`") == std::string::npos;
    line += (is_plain ? words[i] : in_quotes(words[i])) + " ";
  }
  return line + "9>/dev/null\n";
}

/// What the run tells, by the tool's log and by the program's own check of the result.
void tell(ToolRun& run, const Tool& tool, const ProgramEnd& end, const std::string& output) {
  run.shown = shown_by(end, output);
  if (tool.read == nullptr) {
    run.says = {outcome_line(end, output)};
    return;
  }
  ToolLog log = tool.read(output);
  run.saw_no_fault = log.shown == Shown::kRight;
  if (run.saw_no_fault)
    log.says = {fmt::format("no fault; the program's result: {}", in_words(run.shown))};
  else
    run.shown = log.shown;
  run.says = std::move(log.says);
  if (run.state == ToolRun::State::kTimedOut) run.says.push_back(in_words(end));
}

}  // namespace

ToolRun run_tool(const Tool& tool, const Workbench& bench, const StopSignals& signals) {
  ToolRun run;
  run.name = tool.name;
  run.setting = tool.setting;
  if (!tool.why_not.empty()) {
    run.says = {tool.why_not};
    return run;
  }
  const fs::path program = bench.folder / (tool.name + ".py");
  write_whole(program, tool.program, Flush::kLater);
  const std::vector<std::string> command = command_line(tool, bench.python, program);
  Subprocess process(command, bench.limit);
  const ProgramEnd end = wait_for(process, signals);
  const std::string output = process.output(kOutputBytes);
  run.state =
      end.how == ProgramEnd::How::kTimedOut ? ToolRun::State::kTimedOut : ToolRun::State::kRan;
  run.log = tool.name + ".log";
  write_whole(bench.folder / run.log, typed(command) + output, Flush::kLater);
  tell(run, tool, end, output);
  return run;
}

}  // namespace indexfuzz
