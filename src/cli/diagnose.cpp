#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "campaign/exit_code.h"
#include "campaign/failure.h"
#include "campaign/programs/bisect.h"
#include "campaign/programs/run_tool.h"
#include "campaign/programs/toolchain.h"
#include "campaign/store/json_text.h"
#include "campaign/store/torch_version.h"
#include "campaign/temporary_folder.h"
#include "case/strings/printable.h"
#include "cli/commands.h"
#include "cli/diagnose_text.h"
#include "cli/examined_case.h"
#include "cli/output.h"
#include "cli/quantity.h"

namespace indexfuzz {
namespace {

namespace fs = std::filesystem;

constexpr const char* kExamples =
    "Runs the case's stand-alone Python program, as `export --as py` writes it, in fresh "
    "processes: as it is,\n"
    "with other numbers of threads, without wide vector instructions, on a GPU with each launch "
    "waited for; then\n"
    "under gdb and valgrind if it crashes or touches memory beside its own, and on a GPU under "
    "compute-sanitizer.\n"
    "Example:\n"
    "  indexfuzz diagnose DIR/findings/0cafe1623aaa/minimal.case --load ./libmine.so --impl mine "
    "--out logs\n"
    "Exit codes: 0 some run could tell right from wrong, 3 none could, 1 no Python with torch.";

struct Asked {
  OneCase one;
  std::string python, folder, limit = "300s";
  bool json = false;
};

/// Where the logs are kept. Throws SetupError.
void make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    throw SetupError(fmt::format("cannot create the folder {}: {}.", printable(folder.string()),
                                 error.message()));
  }
}

/// The Python that was asked for, which must have torch, or the one of `doctor`.
PythonWithTorch chosen_python(const Asked& asked, const StopSignals& signals) {
  const std::string python = asked.python.empty() ? default_python() : asked.python;
  if (python.empty()) throw SetupError("there is no Python in PATH; give --python PY.");
  return ask_for_torch({python}, signals).front();
}

int diagnose(const Asked& asked) {
  const auto limit = std::chrono::ceil<std::chrono::seconds>(parse_duration(asked.limit));
  if (!asked.folder.empty()) make_folder(asked.folder);
  const ExaminedCase examined = examine_case(asked.one, "diagnose");
  tell_if_it_passes(examined);
  const Reproduction& reproduction = examined.reproduction;
  const StopSignals signals;
  const PythonWithTorch python = chosen_python(asked, signals);
  if (release_numbers(python.torch) != release_numbers(reproduction.torch_version)) {
    fmt::print(stderr, "indexfuzz: {} has torch {}, the case was tested with {}.\n",
               printable(python.python), python.torch, reproduction.torch_version);
  }
  std::optional<TemporaryFolder> scratch;
  if (asked.folder.empty()) scratch.emplace("indexfuzz-diagnose");
  const Workbench bench{python.python, scratch ? scratch->path() : fs::path(asked.folder), limit};
  Diagnosis found{asked.one.path, reproduction.call.implementation, {}, {}};
  for (const Tool& tool : tools_for(reproduction)) {
    found.runs.push_back(run_tool(tool, bench, signals));
    const std::string line = tool_line(found.runs.back(), asked.folder);
    asked.json ? fmt::print(stderr, "{}", line) : write_output("", line);
  }
  found.conclusion = conclusion(found.runs, reproduction.reruns.is_intermittent());
  if (asked.json) {
    write_output("", json_text(diagnosis_json(found, asked.folder)));
  } else {
    for (const std::string& line : found.conclusion) write_output("", line + "\n");
  }
  return any_conclusive(found.runs) ? 0 : exit_code({Reason::kInconclusive});
}

}  // namespace

void add_diagnose(CLI::App& program, Run& run) {
  CLI::App* command = program.add_subcommand(
      "diagnose",
      "run a case again with the tools a person would reach for, and say what they say");
  auto asked = std::make_shared<Asked>();
  asked->one.add_to(*command);
  command->add_option("--python", asked->python, "the Python that runs its program")
      ->type_name("PY");
  command->add_option("--out", asked->folder, "folder that keeps each tool's full output, NAME.log")
      ->type_name("DIR");
  command->add_option("--tool-timeout", asked->limit, "time limit for each tool")
      ->type_name("TIME")
      ->capture_default_str();
  command->add_flag("--json", asked->json, "print JSON");
  command->footer(kExamples);
  command->callback([asked, &run] { run = [asked] { return diagnose(*asked); }; });
}

}  // namespace indexfuzz
