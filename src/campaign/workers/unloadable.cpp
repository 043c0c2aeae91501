#include "campaign/workers/unloadable.h"

#include <fmt/format.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include <thread>

#include "campaign/last_line.h"
#include "case/strings/printable.h"

namespace indexfuzz {
namespace {

// The most time between the end of a process's socket and its own end.
constexpr std::chrono::milliseconds kMostBetweenEnds{1000};

/// "called exit(0)", "died of signal 11 (Segmentation fault)".
std::string end_of(pid_t child) {
  siginfo_t end{};
  const auto until = std::chrono::steady_clock::now() + kMostBetweenEnds;
  while (waitid(P_PID, static_cast<id_t>(child), &end, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         end.si_pid == 0 && std::chrono::steady_clock::now() < until) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  if (end.si_pid == 0) return "closed files that are not its own";
  return end.si_code == CLD_EXITED
             ? fmt::format("called exit({})", end.si_status)
             : fmt::format("died of signal {} ({})", end.si_status, strsignal(end.si_status));
}

std::string sentence(const std::string& library, const std::string& found) {
  return fmt::format(
      "{} cannot be loaded: as it was loaded, it {}; its static initializers, TORCH_LIBRARY's "
      "among "
      "them, must return.",
      printable(library), found);
}

}  // namespace

std::string ended_by_loading(const std::string& library, pid_t child, const std::string& output) {
  const std::string said = last_line(output);
  return sentence(library,
                  end_of(child) + (said.empty() ? "" : fmt::format(" and said \"{}\"", said)));
}

std::string held_by_loading(const std::string& library, std::chrono::seconds limit) {
  return sentence(library, fmt::format("did not return within {} seconds", limit.count()));
}

}  // namespace indexfuzz
