#include "campaign/workers/worker_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "campaign/failure.h"
#include "run/shared/program_folder.h"

namespace indexfuzz {
namespace {

// The descriptors at which the worker finds its socket and the shared memory.
constexpr int kControlFd = 3;
constexpr int kMemoryFd = 4;

std::vector<std::string> arguments_of(const WorkerCommand& command) {
  std::vector<std::string> arguments{command.executable, "--control", std::to_string(kControlFd),
                                     "--memory", std::to_string(kMemoryFd)};
  const auto add = [&](const char* option, const std::vector<std::string>& values) {
    for (const std::string& value : values) {
      arguments.emplace_back(option);
      arguments.push_back(value);
    }
  };
  add("--load", command.libraries);
  add("--impl", command.implementations);
  add("--operator", command.operators);
  if (command.contract != nullptr) add("--contract", {command.contract->text});
  if (command.native_coverage) arguments.emplace_back("--native-coverage");
  return arguments;
}

/// This process's variables and, unless one of them says otherwise, that OpenMP's threads sleep
/// while they wait. Usually they spin, which is fast for one process that has the machine to
/// itself; several jobs of several threads each then take the processors from one another, and
/// nearly stand still. With one job it makes no difference that could be measured.
std::vector<char*> worker_environment() {
  static char passive[] = "OMP_WAIT_POLICY=passive";
  std::vector<char*> variables;
  for (char** variable = environ; *variable != nullptr; ++variable) variables.push_back(*variable);
  if (getenv("OMP_WAIT_POLICY") == nullptr) variables.push_back(passive);
  variables.push_back(nullptr);
  return variables;
}

/// In the forked child; only calls that are safe there.
[[noreturn]] void become_worker(char* const* argv, char* const* variables, int control, int memory,
                                int output, pid_t parent) {
  // A session of its own: Ctrl-C on the terminal is for the supervisor alone.
  setsid();
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(127);
  const rlimit no_core{0, 0};  // crashes are expected here
  setrlimit(RLIMIT_CORE, &no_core);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  signal(SIGPIPE, SIG_DFL);
  const int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
  // Copied first, so that neither is overwritten when the other moves to its place.
  const int control_copy = fcntl(control, F_DUPFD_CLOEXEC, 10);
  const int memory_copy = fcntl(memory, F_DUPFD_CLOEXEC, 10);
  dup2(null, 0);
  dup2(output, 1);
  dup2(output, 2);
  dup2(control_copy, kControlFd);
  dup2(memory_copy, kMemoryFd);
  execve(argv[0], argv, variables);
  const char* text = strerror(errno);
  (void)!write(2, text, strlen(text));
  _exit(127);
}

}  // namespace

std::string find_worker_executable() {
  const auto self = program_folder();
  for (const auto& path :
       {self / "indexfuzz-worker", self / "../libexec/indexfuzz/indexfuzz-worker"}) {
    if (access(path.c_str(), X_OK) == 0) return path.lexically_normal().string();
  }
  throw SetupError(
      fmt::format("indexfuzz-worker, the program that runs the kernels, was not found in {}; build "
                  "or install it beside indexfuzz.",
                  self.string()));
}

pid_t start_worker(const WorkerCommand& command, int control, int memory, int output) {
  const auto arguments = arguments_of(command);
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  const std::vector<char*> variables = worker_environment();
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid == 0) become_worker(argv.data(), variables.data(), control, memory, output, parent);
  return pid;
}

}  // namespace indexfuzz
