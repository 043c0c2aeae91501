#pragma once
// How a child ended, and whether it hangs.

#include <sys/types.h>

#include <chrono>
#include <string>

#include "campaign/workers/running_time.h"
#include "case/case.h"
#include "judge/verdict.h"
#include "run/shared/protocol.h"

namespace indexfuzz {

/// Whether a child did what it was asked for, by what it wrote into its slot (Slot::finished) and
/// by its wait status.
bool ended_well(const Slot& slot, int wait_status);
/// Whether a SIGKILL ended a child that had not faulted before.
bool was_killed(const Slot& slot, int wait_status);

/// Whether a child ended because it cannot use the GPU that it needs, for which no case is at
/// fault. The exit code alone does not tell, since a kernel may exit with the same one: the slot
/// must say why, too.
bool device_unusable(const Slot& slot, int wait_status);
/// One sentence on why the child in the slot cannot use its GPU.
std::string unusable_device(const Slot& slot);

/// The verdict on the call during which a child died by itself. A SIGKILL that came from elsewhere
/// is taken for the kernel's out-of-memory killer.
Verdict verdict_of_death(const Case& c, const Slot& slot, int wait_status);
/// The verdict on a call that had to be ended from outside.
Verdict verdict_of_hang(const Case& c, std::chrono::milliseconds timeout);

/// Notices a child that makes no progress. Time counts from the first look at a new state. Two
/// things make no child hang: a gap between two looks counts only up to a bound, for a suspended
/// machine or a busy supervisor; and time in which the child was ready to run but not scheduled
/// does not count.
class HangWatch {
 public:
  /// True once the child has stood at the same call for `timeout` plus Slot::patience. While the
  /// child has a process of its own, such as a compiler, the patience begins anew, for ten minutes
  /// at most. `child`: its process id; 0: not known yet.
  bool stuck(const Slot& slot, pid_t child, std::chrono::steady_clock::time_point now,
             std::chrono::milliseconds timeout);
  void reset() { seen_ = {}; }
  bool has_looked() const { return seen_ != std::chrono::steady_clock::time_point{}; }
  /// Since when the child has stood at its call.
  std::chrono::steady_clock::time_point since() const { return since_; }

 private:
  std::uint64_t case_number_ = 0;
  std::uint64_t calls_ = 0;
  std::chrono::seconds patience_{};
  RunningTime running_;
  std::chrono::steady_clock::time_point since_{};
  std::chrono::steady_clock::time_point seen_{};      ///< when it was looked at last
  std::chrono::steady_clock::duration progressed_{};  ///< time that counts at the same call
};

}  // namespace indexfuzz
