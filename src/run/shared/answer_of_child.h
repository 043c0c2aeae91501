#pragma once
// A question that a forked child answers.

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <functional>
#include <optional>
#include <type_traits>

namespace indexfuzz {

/// Returns what `ask()` returns in a forked child: this process then does not load what `ask()`
/// loads, such as a CUDA context, after which it could no longer fork. None if the child gives no
/// answer, as when `ask()` throws, or if `interrupted` becomes true first. The child ends with the
/// calling thread.
template <typename Ask>
std::optional<std::invoke_result_t<Ask>> answer_of_child(
    Ask&& ask, const std::function<bool()>& interrupted = nullptr) {
  using Answer = std::invoke_result_t<Ask>;
  static_assert(std::is_trivially_copyable_v<Answer>);
  constexpr int kMilliseconds = 50;
  std::array<int, 2> pipe{};
  if (pipe2(pipe.data(), O_CLOEXEC) != 0) return std::nullopt;
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1);
    // An exception that left this function would go on with the parent's work.
    try {
      const Answer answer = ask();
      (void)!write(pipe[1], &answer, sizeof answer);
    } catch (...) {
      _exit(1);
    }
    _exit(0);
  }
  close(pipe[1]);
  pollfd said{pipe[0], POLLIN, 0};
  bool waits = true;
  while (waits && poll(&said, 1, kMilliseconds) <= 0) waits = !(interrupted && interrupted());
  Answer answer{};
  const bool answered = waits && read(pipe[0], &answer, sizeof answer) == sizeof answer;
  close(pipe[0]);
  if (child <= 0) return std::nullopt;
  // A child that waits in an unresponsive driver does not end even when it is killed.
  if (!waits) kill(child, SIGKILL);
  waitpid(child, nullptr, waits ? 0 : WNOHANG);
  return answered ? std::optional(answer) : std::nullopt;
}

}  // namespace indexfuzz
