#include "campaign/workers/end_processes.h"

#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <thread>

namespace indexfuzz {
namespace {

using Clock = std::chrono::steady_clock;

/// Whether no child of this process is left of the process or group.
bool is_gone(pid_t process) {
  pid_t ended = 0;
  do {
    ended = waitpid(process, nullptr, WNOHANG);
  } while (ended > 0);
  return ended < 0;
}

}  // namespace

bool end_processes(std::span<const pid_t> processes, const std::function<bool()>& is_over) {
  for (const pid_t process : processes) kill(process, SIGKILL);
  while (!std::ranges::all_of(processes, is_gone)) {
    if (is_over()) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

bool end_processes(std::span<const pid_t> processes, std::chrono::milliseconds limit) {
  const auto until = Clock::now() + limit;
  return end_processes(processes, [until] { return Clock::now() > until; });
}

}  // namespace indexfuzz
