#pragma once
// What is known of a child that did not end by itself.

#include <chrono>
#include <string>

#include "campaign/workers/running_time.h"
#include "case/case.h"
#include "judge/verdict.h"
#include "run/protocol.h"

namespace indexfuzz {

/// Whether a child did what it was asked for: it says so itself, and its wait status too.
bool ended_well(const Slot& slot, int wait_status);
/// Whether a SIGKILL ended a child that did not fault before.
bool was_killed(const Slot& slot, int wait_status);

/// Whether a child ended since it cannot use the GPU that it needs, which is no case's fault.
bool device_unusable(int wait_status);
/// Why, as one sentence.
std::string unusable_device(const Slot& slot);

/// The verdict on the call during which a child died by itself. A SIGKILL that came from elsewhere
/// is taken for the kernel's out-of-memory killer.
Verdict verdict_of_death(const Case& c, const Slot& slot, int wait_status);
/// The verdict on a call that had to be ended from outside.
Verdict verdict_of_hang(std::chrono::milliseconds timeout);

/// Notices a child that makes no progress. Time counts from the first look at a new state, and
/// between two looks only so much of it as a machine takes that runs: one that stood still, or a
/// supervisor that was busy, makes no child hang. Nor does time count in which a child was ready to
/// run and others did.
class HangWatch {
 public:
  /// True once the child has stood at the same call for `timeout`, and a minute longer where it is
  /// the first call of a custom implementation in its process, which may compile something, or
  /// where a GPU is being opened; the minute begins anew, for ten of them, while the call has a
  /// process of its own, such as a compiler.
  bool stuck(const Slot& slot, std::chrono::steady_clock::time_point now,
             std::chrono::milliseconds timeout);
  void reset() { seen_ = {}; }
  /// Since when it has stood there.
  std::chrono::steady_clock::time_point since() const { return since_; }

 private:
  std::uint64_t case_number_ = 0;
  std::uint64_t calls_ = 0;
  bool takes_longer_ = false;
  RunningTime running_;
  std::chrono::steady_clock::time_point since_{};
  std::chrono::steady_clock::time_point seen_{};      ///< when it was looked at last
  std::chrono::steady_clock::duration progressed_{};  ///< at the same call until then
};

}  // namespace indexfuzz
