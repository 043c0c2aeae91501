#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "campaign/failure.h"
#include "campaign/last_line.h"
#include "campaign/programs/toolchain.h"
#include "campaign/workers/subprocess.h"
#include "cli/case_session.h"
#include "cli/commands.h"
#include "cli/under_test.h"
#include "indexfuzz_config.h"

namespace indexfuzz {
namespace {

struct Asked {
  std::string python;
};

bool line(bool good, const std::string& what, const std::string& text) {
  fmt::print("{:<8} {:<10} {}\n", good ? "ok" : "missing", what, text);
  return good;
}

void look_at_gpus(const Hello& hello) {
  std::vector<std::string> on_gpus;
  for (const ImplementationInfo& implementation : hello.implementations) {
    if (implementation.on_gpu()) on_gpus.push_back(implementation.name);
  }
  if (!on_gpus.empty()) {
    line(true, "CUDA", fmt::format("{}", fmt::join(on_gpus, ", ")));
  } else {
    fmt::print("{:<8} {:<10} {}; the CPU alone is tested\n", "none", "CUDA", hello.no_gpu);
  }
}

bool look_at_worker() {
  try {
    WorkerCommand command;
    command.executable = find_worker_executable();
    CaseSession session(command, false, std::chrono::seconds(10));
    const std::string& torch = session.hello().torch;
    line(true, "LibTorch",
         fmt::format("{}, built with {} from {}", torch, config::kTorchVersion,
                     config::kTorchLibDir));
    line(session.hello().libfuzzer, "libFuzzer",
         session.hello().libfuzzer
             ? "linked in: --engine coverage, both"
             : "none, so there is only --engine property; install libclang-rt-19-dev "
               "and build again");
    look_at_gpus(session.hello());
    return true;
  } catch (const SetupError& error) {
    return line(false, "LibTorch", error.what());
  }
}

void look_at_python(const std::string& python) {
  if (python.empty()) {
    line(false, "Python", "none in PATH; repro.py will not be checked");
    return;
  }
  Subprocess probe(torch_version_command(python), std::chrono::seconds(60));
  const bool works = probe.wait().is_success();
  const std::string version = last_line(probe.output());  // torch's own warnings come before it
  line(works, "Python",
       works ? fmt::format("{} with torch {}", python, version)
             : fmt::format("{} cannot import torch; repro.py will not be checked", python));
}

int doctor(const Asked& asked) {
  const bool torch = look_at_worker();
  look_at_python(asked.python.empty() ? default_python() : asked.python);
  const auto compile = compile_command("repro.cpp", "repro");
  line(!compile.empty(), "compiler",
       compile.empty() ? "none, or no LibTorch headers; repro.cpp will not be checked"
                       : compile.front());
  line(true, "cores", std::to_string(std::thread::hardware_concurrency()));
  const bool corpus = std::filesystem::is_directory(corpus_folder());
  line(corpus, "corpus", corpus_folder());
  return torch ? 0 : 1;
}

}  // namespace

void add_doctor(CLI::App& program, Run& run) {
  CLI::App* command =
      program.add_subcommand("doctor", "what this machine has, and what is missing");
  auto asked = std::make_shared<Asked>();
  command->add_option("--python", asked->python, "the Python to check")->type_name("PY");
  command->callback([asked, &run] { run = [asked] { return doctor(*asked); }; });
}

}  // namespace indexfuzz
