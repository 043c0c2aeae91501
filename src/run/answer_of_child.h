#pragma once
// Asking in a process of its own.

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <optional>
#include <type_traits>

namespace indexfuzz {

/// What `ask()` returns in a forked child, so that this process stays without what it loads, such
/// as a CUDA context, with which it could not be forked any more. None where the child gives no
/// answer.
template <typename Ask>
std::optional<std::invoke_result_t<Ask>> answer_of_child(Ask&& ask) {
  using Answer = std::invoke_result_t<Ask>;
  static_assert(std::is_trivially_copyable_v<Answer>);
  std::array<int, 2> pipe{};
  if (pipe2(pipe.data(), O_CLOEXEC) != 0) return std::nullopt;
  const pid_t child = fork();
  if (child == 0) {
    const Answer answer = ask();
    (void)!write(pipe[1], &answer, sizeof answer);
    _exit(0);
  }
  close(pipe[1]);
  Answer answer{};
  const bool answered = read(pipe[0], &answer, sizeof answer) == sizeof answer;
  close(pipe[0]);
  if (child > 0) waitpid(child, nullptr, 0);
  return answered ? std::optional(answer) : std::nullopt;
}

}  // namespace indexfuzz
