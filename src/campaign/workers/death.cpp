#include "campaign/workers/death.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>

#include "judge/judge_death.h"
#include "ops/definition/illegal_rule.h"
#include "ops/definition/operator.h"
#include "ops/fills/table.h"
#include "run/shared/child_processes.h"
#include "run/shared/text_in.h"

namespace indexfuzz {
namespace {

// How long a child is waited for while it has a process of its own, such as a compiler.
constexpr std::chrono::minutes kLongestPatience{10};
// Workers are looked at every few milliseconds: of a longer gap, only this much counts.
constexpr std::chrono::milliseconds kMostBetweenLooks{500};

}  // namespace

bool ended_well(const Slot& slot, int wait_status) {
  return WIFEXITED(wait_status) && WEXITSTATUS(wait_status) == 0 &&
         slot.finished.load(std::memory_order_acquire) != 0;
}

bool was_killed(const Slot& slot, int wait_status) {
  return WIFSIGNALED(wait_status) && WTERMSIG(wait_status) == SIGKILL && slot.signal.load() == 0;
}

bool device_unusable(const Slot& slot, int wait_status) {
  return WIFEXITED(wait_status) && WEXITSTATUS(wait_status) == kDeviceUnusableExit &&
         slot.device_error.load() != 0;
}

std::string unusable_device(const Slot& slot) {
  return fmt::format("a GPU cannot be used: {}.", slot.device_error.load() == 0
                                                      ? "it does not answer"
                                                      : text_in(slot.device_message));
}

namespace {

// The errors of a kernel that checks its indices: cudaErrorAssert or, if it executes a trap,
// cudaErrorIllegalInstruction or cudaErrorLaunchFailure.
bool is_refusal(int code) {
  return code == 710 || code == 715 || code == 719;
}

/// The verdict on the error that a GPU reported before the child ended.
Verdict verdict_of_device_error(const Case& c, const Slot& slot, int code) {
  Verdict verdict = finding_by_message(Kind::kDevice, -1, text_in(slot.device_message));
  // A kernel has no other way to refuse a case whose values are illegal. What else makes a case
  // illegal is known before it is launched.
  if (is_refusal(code) && ends_gpu_context(c)) verdict.status = Status::kAgreed;
  return verdict;
}

/// The verdict on a call for which time or memory did not suffice. A kernel may look at each of its
/// operands' elements, or copy them, and a table has very many.
Verdict exhaustion(const Case& c, Kind kind, const std::string& text) {
  return has_table(c) ? no_finding(Status::kRefused, text) : finding(kind, -1, text);
}

}  // namespace

Verdict verdict_of_death(const Case& c, const Slot& slot, int wait_status) {
  if (const int code = slot.device_error.load(); code != 0 && WIFEXITED(wait_status))
    return verdict_of_device_error(c, slot, code);
  if (was_killed(slot, wait_status))
    return exhaustion(c, Kind::kOom,
                      "killed from outside, as the system does when memory runs out");
  if (!WIFSIGNALED(wait_status))
    return finding(Kind::kCrash, -1, fmt::format("called exit({})", WEXITSTATUS(wait_status)));
  const int signal = WTERMSIG(wait_status);
  const int operand = slot.fault_operand.load();
  if (slot.fault_in_input.load() != 0) return judge_written_input(c, signal, operand);
  if (slot.memory_spent.load() != 0)
    return exhaustion(c, Kind::kOom, "died when no memory was left to it");
  Verdict verdict = judge_death(c, signal, operand, slot.fault_in_heap.load() != 0);
  if (slot.stack_overflow.load() != 0) set_message(verdict, "stack overflow");
  return verdict;
}

Verdict verdict_of_hang(const Case& c, std::chrono::milliseconds timeout) {
  return exhaustion(
      c, Kind::kHang,
      fmt::format("no answer within {:g} s", static_cast<double>(timeout.count()) / 1e3));
}

bool HangWatch::stuck(const Slot& slot, pid_t child, std::chrono::steady_clock::time_point now,
                      std::chrono::milliseconds timeout) {
  using Duration = std::chrono::steady_clock::duration;
  const std::uint64_t number = slot.case_number.load(std::memory_order_relaxed);
  const std::uint64_t calls = slot.calls.load(std::memory_order_relaxed);
  const std::chrono::seconds patience{slot.patience.load(std::memory_order_relaxed)};
  // If a first call has just ended, its time does not count for what follows.
  const bool moved = number != case_number_ || calls != calls_ || patience != patience_ ||
                     seen_ == std::chrono::steady_clock::time_point{};
  const auto passed = std::min<Duration>(now - seen_, kMostBetweenLooks);
  progressed_ = moved ? Duration(0) : progressed_ + running_.of(child, passed);
  seen_ = now;
  if (moved) {
    since_ = now;
    case_number_ = number;
    calls_ = calls;
    patience_ = patience;
    return false;
  }
  if (progressed_ <= timeout) return false;
  if (patience == patience.zero()) return true;
  if (now - since_ < kLongestPatience && !child_processes(child, child).empty())
    progressed_ = timeout;
  return progressed_ > timeout + patience;
}

}  // namespace indexfuzz
