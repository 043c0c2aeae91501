#pragma once
// Checks that are too slow to run after every call: they run after a batch and, if something is
// wrong, again after each call of that batch.

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "judge/verdict.h"
#include "run/session/runnable.h"
#include "run/session/session.h"
#include "run/watch/resources.h"

namespace indexfuzz {

/// The cases [first, end) of a batch, to be run again. `get` writes a case; false if it is no
/// longer known.
struct BatchCases {
  std::uint64_t first, end;
  std::function<bool(std::uint64_t number, Case& c)> get;
};

/// Counts and reports a failure that the end of a batch has found.
using ReportFailure = std::function<void(const RunnableCase& c, std::uint64_t number,
                                         std::size_t implementation, const Verdict& verdict)>;

/// The verdict on a call that changed global state, which is an input that all calls share.
Verdict changed_state(const std::string& what);

/// Puts global state back; true if a kernel has changed it since the last look. look_back() then
/// searches the batch for the call that did it. In that case a wrong result may be due to another
/// call.
bool put_back_global_state(Session& session);

/// The verdict on a call that wrote far from everything it was given.
Verdict stray_write();

/// Looks for writes far outside every operand and for global state that changed since the last
/// batch. If there are any, runs the batch again, looking after each call, to find the calls at
/// fault. Toggles grad mode for the next batch.
void look_back(Session& session, const BatchCases& batch, const ReportFailure& report);

/// In one batch of several: calls a case that has several right results again and again, and
/// reports a result that changes.
void look_for_changing_result(Session& session, const BatchCases& batch,
                              const ReportFailure& report);

/// The number of cases between two looks at a process's memory.
inline constexpr std::uint64_t kLeakTurn = 4096;

/// Notices when the process holds more than before, and then searches the cases since the last look
/// for one whose every call keeps something. Threads, processes and files are counted after each
/// batch; memory, which takes longer to count, once per `turn` of cases.
class LeakWatch {
 public:
  /// For a process that begins with `first_case` and can run its last `turn` cases again.
  explicit LeakWatch(std::uint64_t first_case, std::uint64_t turn = kLeakTurn) : turn_(turn) {
    counted_.first = memory_.first = first_case;
  }
  void look(Session& session, const BatchCases& batch, const ReportFailure& report);

  /// After a call that found no memory left: whether one of the cases since the last look keeps
  /// memory. If so, reports that case.
  bool explains_lack(Session& session, const BatchCases& batch, const ReportFailure& report);

 private:
  struct Since {
    Held held{};
    std::uint64_t first = 0;  ///< the first case since `held` was counted
    bool settled = false;     ///< false before the first look, when one-time set-up may still show
  };
  void look(Session& session, const BatchCases& batch, const ReportFailure& report, Since& since,
            std::span<const Resource> resources, Slot::LeakSearches& searches);
  bool search(Session& session, const BatchCases& cases, const ReportFailure& report);

  std::uint64_t turn_;
  Since counted_, memory_;
};

}  // namespace indexfuzz
