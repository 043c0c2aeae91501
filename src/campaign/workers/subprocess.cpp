#include "campaign/workers/subprocess.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <thread>

#include "campaign/workers/end_processes.h"
#include "campaign/workers/output_file.h"

namespace indexfuzz {
namespace {

/// Waits for the program as its parent and ends as it does. If the campaign is killed, this process
/// kills the whole group: a compiler's children would outlive the compiler.
[[noreturn]] void guard(pid_t program) {
  int status = 0;
  while (waitpid(program, &status, 0) < 0) {
    if (errno != EINTR) _exit(kNotStarted.code);
  }
  if (WIFEXITED(status)) _exit(WEXITSTATUS(status));
  signal(WTERMSIG(status), SIG_DFL);
  raise(WTERMSIG(status));
  _exit(kNotStarted.code);
}

/// In the forked child; only calls that are safe there.
[[noreturn]] void become(char* const* argv, int output, pid_t parent) {
  setsid();
  signal(SIGUSR1, [](int) { ::kill(0, SIGKILL); });
  prctl(PR_SET_PDEATHSIG, SIGUSR1);
  if (getppid() != parent) _exit(kNotStarted.code);
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  (void)!nice(5);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  signal(SIGPIPE, SIG_DFL);
  const pid_t program = fork();
  if (program < 0) _exit(kNotStarted.code);
  if (program > 0) guard(program);
  signal(SIGUSR1, SIG_DFL);
  dup2(open("/dev/null", O_RDONLY | O_CLOEXEC), 0);
  dup2(output, 1);
  dup2(output, 2);
  execvp(argv[0], argv);
  _exit(kNotStarted.code);
}

}  // namespace

std::string in_words(const ProgramEnd& end) {
  switch (end.how) {
    case ProgramEnd::How::kExited: return fmt::format("exited with {}", end.code);
    case ProgramEnd::How::kSignalled: return fmt::format("died of signal {}", end.code);
    case ProgramEnd::How::kTimedOut: return "did not end in time";
  }
  return "";
}

Subprocess::Subprocess(const std::vector<std::string>& arguments, std::chrono::seconds limit)
    : output_(make_output_file()), deadline_(std::chrono::steady_clock::now() + limit) {
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  if (output_ < 0) {
    end_ = kNotStarted;
    return;
  }
  const pid_t parent = getpid();
  pid_ = fork();
  if (pid_ == 0) become(argv.data(), output_, parent);
  if (pid_ < 0) end_ = kNotStarted;
}

Subprocess::~Subprocess() {
  if (pid_ > 0) end_processes(std::array{pid_, -pid_});
  if (output_ >= 0) close(output_);
}

std::optional<ProgramEnd> Subprocess::poll() {
  using How = ProgramEnd::How;
  if (end_) return end_;
  // WNOWAIT leaves it a zombie: no other process gets the id by which its group will be killed.
  siginfo_t info{};
  waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT);
  if (info.si_pid == pid_) {
    end_ = {info.si_code == CLD_EXITED ? How::kExited : How::kSignalled, info.si_status};
  } else if (std::chrono::steady_clock::now() > deadline_) {
    ::kill(-pid_, SIGKILL);
    ::kill(pid_, SIGKILL);
    end_ = {How::kTimedOut, 0};
  }
  return end_;
}

ProgramEnd Subprocess::wait() {
  while (!poll()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  return *end_;
}

std::string Subprocess::output(std::size_t most) const {
  return end_of_output(output_, most);
}

}  // namespace indexfuzz
