#include "campaign/gpu/mps_server.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <system_error>

#include "campaign/failure.h"
#include "run/shared/child_processes.h"

namespace indexfuzz {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using std::chrono::seconds;

constexpr seconds kStartLimit{20};
constexpr seconds kQuitLimit{3}, kEndLimit{3};
constexpr int kNotFound = 127;
constexpr int kTooLate = 128;

/// Kills the children of this process and, since these become its children, what they have started.
void end_children() {
  // One that waits in a dead driver does not end even when it is killed.
  for (const auto limit = Clock::now() + kEndLimit; Clock::now() < limit; usleep(5000)) {
    for (const pid_t pid : child_processes(getpid(), getpid())) kill(pid, SIGKILL);
    pid_t ended = 0;
    do {
      ended = waitpid(-1, nullptr, WNOHANG);
    } while (ended > 0);
    if (ended < 0) return;
  }
}

/// Runs the program with `words` on its standard input, until the other end of the pipe `alive` is
/// closed, if there is one (-1). Returns its exit code, 1 after a signal, kNotFound or kTooLate.
int run_control(const char* program, const char* option, const char* words, seconds limit,
                int alive) {
  std::array<int, 2> input{};
  if (pipe2(input.data(), O_CLOEXEC) != 0) return kTooLate;
  (void)!write(input[1], words, std::char_traits<char>::length(words));
  close(input[1]);
  const pid_t pid = fork();
  if (pid == 0) {
    signal(SIGPIPE, SIG_DFL);
    dup2(input[0], 0);
    const int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    dup2(null, 1);
    dup2(null, 2);
    execlp(program, program, option, nullptr);
    _exit(kNotFound);
  }
  close(input[0]);
  const auto end = Clock::now() + limit;
  pollfd owner{alive, POLLIN, 0};
  for (int status = 0; pid > 0 && Clock::now() < end && owner.revents == 0; poll(&owner, 1, 5)) {
    if (waitpid(pid, &status, WNOHANG) == pid) return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
  }
  if (pid > 0) kill(pid, SIGKILL);
  return kTooLate;
}

/// Closes all other descriptors: this process must not hold what has to end with its parent, such
/// as locks, sockets and pipes.
void keep_only(int a, int b) {
  const auto low = static_cast<unsigned>(std::min(a, b)),
             high = static_cast<unsigned>(std::max(a, b));
  const int null = open("/dev/null", O_RDWR);
  for (int fd = 0; fd < 3; ++fd) dup2(null, fd);
  if (low > 3) close_range(3, low - 1, 0);
  if (high > low + 1) close_range(low + 1, high - 1, 0);
  close_range(high + 1, ~0u, 0);
}

/// The watching process: starts the server, waits until the other end of `alive` is closed in all
/// processes, and then ends everything that it has started.
[[noreturn]] void watch(const char* program, const fs::path& folder, int alive, int ready) {
  setsid();
  keep_only(alive, ready);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  // The server is a daemon: it becomes a child of this process.
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  setenv("CUDA_MPS_PIPE_DIRECTORY", (folder / "pipe").c_str(), 1);
  setenv("CUDA_MPS_LOG_DIRECTORY", (folder / "log").c_str(), 1);
  const int code = run_control(program, "-d", "", kStartLimit, alive);
  // The campaign may be gone already, and this process must still end what was started.
  signal(SIGPIPE, SIG_IGN);
  (void)!write(ready, &code, sizeof code);
  signal(SIGPIPE, SIG_DFL);
  close(ready);
  char byte = 0;
  while (read(alive, &byte, 1) < 0 && errno == EINTR) {
  }
  if (code == 0) run_control(program, nullptr, "quit -t 1\n", kQuitLimit, -1);
  end_children();
  std::error_code ignored;
  fs::remove_all(folder, ignored);
  _exit(0);
}

}  // namespace

void MpsServer::make_folder() {
  try {
    folder_.emplace("indexfuzz-mps");
    fs::create_directory(folder_->path() / "pipe");
    fs::create_directory(folder_->path() / "log");
  } catch (const SetupError&) {
    folder_.reset();
  } catch (const fs::filesystem_error&) {
    folder_.reset();
  }
}

MpsServer::MpsServer(const Pulse& pulse, const std::string& program) {
  make_folder();
  std::array<int, 2> alive{}, ready{};
  if (!folder_ || pipe2(alive.data(), O_CLOEXEC) != 0 || pipe2(ready.data(), O_CLOEXEC) != 0) {
    why_ = "there is no folder for it";
    return;
  }
  watcher_ = fork();
  if (watcher_ == 0) {
    close(alive[1]);
    close(ready[0]);
    watch(program.c_str(), folder_->path(), alive[0], ready[1]);
  }
  close(alive[0]);
  close(ready[1]);
  alive_ = alive[1];
  int code = kTooLate;
  pollfd answer{ready[0], POLLIN, 0};
  constexpr int kMilliseconds = 50;
  const auto limit = Clock::now() + kStartLimit + seconds(2);
  bool unwanted = false;
  while (!unwanted && Clock::now() < limit && poll(&answer, 1, kMilliseconds) <= 0)
    unwanted = stops_at(pulse);
  if (answer.revents != 0) (void)!read(ready[0], &code, sizeof code);
  close(ready[0]);
  if (unwanted) {
    stop();
    throw Interruption();
  }
  if (code == kNotFound) why_ = program + " was not found";
  if (code == kTooLate) why_ = program + " did not answer";
  if (code != 0 && why_.empty()) why_ = fmt::format("{} -d ended with exit code {}", program, code);
  if (code != 0) stop();
}

void MpsServer::stop() {
  if (alive_ >= 0) close(alive_);
  alive_ = -1;
  if (watcher_ > 0) waitpid(watcher_, nullptr, 0);
  watcher_ = -1;
}

MpsServer::~MpsServer() {
  stop();
}

}  // namespace indexfuzz
