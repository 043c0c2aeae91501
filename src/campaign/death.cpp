#include "campaign/death.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>

#include "judge/judge.h"

namespace indexfuzz {

bool ended_well(int wait_status) {
  return WIFEXITED(wait_status) && WEXITSTATUS(wait_status) == 0;
}

namespace {

// cudaErrorAssert: what a kernel that looks at its indices raises.
constexpr int kDeviceAssertion = 710;

/// What a GPU said before the child ended.
Verdict verdict_of_device_error(const Case& c, const Slot& slot, int code) {
  Verdict verdict;
  // A kernel has no other way to refuse a case whose values are illegal.
  verdict.status =
      c.breaks != 0 && code == kDeviceAssertion ? Status::kAgreed : Status::kFinding;
  verdict.kind = Kind::kDevice;
  verdict.error_class = static_cast<std::uint32_t>(code);
  set_message(verdict, slot.device_message);
  return verdict;
}

}  // namespace

Verdict verdict_of_death(const Case& c, const Slot& slot, int wait_status) {
  if (const int code = slot.device_error.load(); code != 0 && WIFEXITED(wait_status))
    return verdict_of_device_error(c, slot, code);
  if (WIFSIGNALED(wait_status)) {
    const int signal = WTERMSIG(wait_status);
    if (signal == SIGKILL && slot.signal.load() == 0) {
      Verdict verdict;
      verdict.status = Status::kFinding;
      verdict.kind = Kind::kOom;
      set_message(verdict, "killed from outside, as the system does when memory runs out");
      return verdict;
    }
    return judge_death(c, signal, slot.fault_operand.load(), slot.fault_in_heap.load() != 0);
  }
  Verdict verdict;
  verdict.status = Status::kFinding;
  verdict.kind = Kind::kCrash;
  set_message(verdict,
              fmt::format("ended the process with exit code {}", WEXITSTATUS(wait_status)));
  return verdict;
}

Verdict verdict_of_hang(std::chrono::milliseconds timeout) {
  Verdict verdict;
  verdict.status = Status::kFinding;
  verdict.kind = Kind::kHang;
  set_message(verdict,
              fmt::format("no answer within {:g} s", static_cast<double>(timeout.count()) / 1e3));
  return verdict;
}

bool HangWatch::stuck(const Slot& slot, std::chrono::steady_clock::time_point now,
                      std::chrono::milliseconds timeout) {
  const std::uint64_t number = slot.case_number.load(std::memory_order_relaxed);
  const std::uint32_t implementation = slot.implementation.load(std::memory_order_relaxed);
  const std::uint32_t completed = slot.completed.load(std::memory_order_relaxed);
  const bool moved = number != case_number_ || implementation != implementation_ ||
                     completed != completed_ || since_ == std::chrono::steady_clock::time_point{};
  if (moved) {
    case_number_ = number;
    implementation_ = implementation;
    completed_ = completed;
    since_ = now;
    return false;
  }
  return now - since_ > timeout;
}

}  // namespace indexfuzz
