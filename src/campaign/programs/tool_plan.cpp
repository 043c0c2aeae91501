#include "campaign/programs/tool_plan.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <string_view>
#include <system_error>

#include "campaign/programs/toolchain.h"
#include "campaign/workers/torch_place.h"
#include "reproduce/program_plan.h"

namespace indexfuzz {
namespace {

namespace fs = std::filesystem;

/// The program makes the call in its own process, where a tool sees it, and tells descriptor 9.
constexpr const char* kInOneProcess = "REPRO_CHILD=9";

Tool bare(std::string name, const Reproduction& r, std::vector<std::string> environment) {
  Tool tool{std::move(name), "", python_program(r), std::move(environment)};
  const char* const set = getenv("ATEN_CPU_CAPABILITY");
  const Capability capability = r.c.environment.capability;
  const bool is_default =
      capability == Capability::kDefault ||
      (capability == Capability::kNative && set != nullptr && std::string_view(set) == "default");
  tool.setting = Setting{r.c.environment.threads, !is_default, false};
  return tool;
}

/// The same calls under another number of threads or other vector instructions. The programs set
/// both themselves, so that the environment alone changes neither.
Reproduction under(const Reproduction& r, const Environment& environment) {
  Reproduction other = r;
  other.c.environment = environment;
  for (EarlierCall& one : other.before) one.c.environment = environment;
  return other;
}

Tool with_threads(std::string name, const Reproduction& r, int threads) {
  Environment environment = r.c.environment;
  environment.threads = static_cast<std::uint8_t>(threads);
  // A kernel may ask OpenMP rather than PyTorch.
  Tool tool =
      bare(std::move(name), under(r, environment), {fmt::format("OMP_NUM_THREADS={}", threads)});
  if (threads == r.c.environment.threads) tool.why_not = "the case itself has as many threads";
  return tool;
}

Tool without_vectors(const Reproduction& r, const Tool& plain) {
  Environment environment = r.c.environment;
  environment.capability = Capability::kDefault;
  Tool tool = bare("no-vectors", under(r, environment), {});
  if (!plain.setting->wide_vectors)
    tool.why_not = "the case itself runs without wide vector instructions";
  return tool;
}

/// Debuggers are for what touches memory that it must not.
std::string why_no_debugger(const Reproduction& r, const std::string& program) {
  const Verdict& verdict = r.verdict;
  if (r.call.device != "cpu") return "the call runs on a GPU";
  const bool is_finding = verdict.status == Status::kFinding;
  const bool helps =
      verdict.kind == Kind::kCrash || verdict.kind == Kind::kMemory || verdict.signal != 0;
  if (!is_finding || !helps) return "the case neither crashes nor touches memory beside its own";
  if (!in_path(program)) return fmt::format("there is no {0}; install the package {0}", program);
  return "";
}

Tool gdb(const Reproduction& r) {
  Tool tool{"gdb", why_no_debugger(r, "gdb"), python_program(r), {kInOneProcess}};
  tool.command = {"gdb", "-nx", "-batch", "-return-child-result"};
  const auto add = [&](const char* option, const char* words) {
    tool.command.insert(tool.command.end(), {option, words});
  };
  add("-iex", "set debuginfod enabled off");
  add("-iex", "set auto-load python-scripts off");
  add("-ex", "set startup-with-shell off");
  add("-ex", "set print frame-arguments none");
  add("-ex", "handle all nostop noprint pass");
  add("-ex", "handle SIGSEGV SIGBUS SIGABRT SIGFPE SIGILL stop print");
  if (program_plan(r).watch.heap) {
    // As the program's parent sets them.
    add("-ex", "set environment LD_PRELOAD libc_malloc_debug.so.0");
    add("-ex", "set environment MALLOC_CHECK_ 3");
  }
  add("-ex", "run");
  add("-ex", "backtrace 40");
  tool.command.emplace_back("--args");
  tool.read = read_gdb;
  return tool;
}

Tool valgrind(const Reproduction& r) {
  // Operands in memory of malloc, of which valgrind knows every block, not between guard pages.
  Reproduction unguarded = r;
  if (r.verdict.kind == Kind::kMemory) unguarded.verdict.kind = Kind::kCrash;
  Tool tool{"valgrind",
            why_no_debugger(r, "valgrind"),
            python_program(unguarded),
            // Python's own allocator would hide blocks within larger ones.
            {kInOneProcess, "PYTHONMALLOC=malloc"}};
  // Undefined values are a question of their own, and interpreters use many.
  tool.command = {"valgrind", "--undef-value-errors=no", "--error-limit=no", "--num-callers=24",
                  "--read-inline-info=no"};
  tool.read = read_valgrind;
  return tool;
}

/// Empty if there is none.
std::string compute_sanitizer() {
  constexpr const char* kName = "compute-sanitizer";
  if (in_path(kName)) return kName;
  std::vector<fs::path> toolkits;
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const char* const named = getenv(variable)) toolkits.emplace_back(named);
  }
  std::error_code error;
  const fs::path nvcc = fs::canonical(find_program("nvcc"), error);
  if (!error) toolkits.push_back(nvcc.parent_path().parent_path());
  toolkits.emplace_back("/usr/local/cuda");
  std::ranges::copy(nvidia_packages(torch_libraries()), std::back_inserter(toolkits));
  for (const fs::path& toolkit : toolkits) {
    for (const char* folder : {"bin", kName}) {
      std::string program = (toolkit / folder / kName).string();
      if (in_path(program)) return program;
    }
  }
  return "";
}

void add_sanitizers(const Reproduction& r, std::vector<Tool>& tools) {
  const std::string program = compute_sanitizer();
  for (const char* name : {"memcheck", "racecheck", "synccheck", "initcheck"}) {
    Tool tool{name,
              "",
              python_program(r),
              // PyTorch's allocator hands out parts of larger blocks. A program that would look
              // closer itself is told that somebody does.
              {kInOneProcess, "PYTORCH_NO_CUDA_MEMORY_CACHING=1", "UNDER_SANITIZER=1"}};
    if (program.empty()) {
      tool.why_not =
          "there is no compute-sanitizer; install NVIDIA's CUDA toolkit, or "
          "`pip install nvidia-cuda-sanitizer-api`";
    }
    tool.command = {program, "--tool", name, "--report-api-errors", "no", "--check-exit-code",
                    "no"};
    tool.read = read_sanitizer;
    tools.push_back(std::move(tool));
  }
}

}  // namespace

std::vector<Tool> tools_for(const Reproduction& r) {
  std::vector<Tool> tools{bare("plain", r, {})};
  const auto add_unfit = [&](const char* name, const char* why) { tools.push_back({name, why}); };
  if (r.call.device == "cpu") {
    tools.push_back(with_threads("one-thread", r, 1));
    tools.push_back(with_threads("four-threads", r, 4));
    tools.push_back(without_vectors(r, tools.front()));
    add_unfit("compute-sanitizer", "the call runs on the CPU");
  } else {
    tools.push_back(bare("blocking", r, {"CUDA_LAUNCH_BLOCKING=1"}));
    tools.back().setting->waits = true;
    add_sanitizers(r, tools);
  }
  tools.push_back(gdb(r));
  tools.push_back(valgrind(r));
  return tools;
}

}  // namespace indexfuzz
