#pragma once
// What is too slow to be looked at after every call: looked at after a batch, and then after each
// call of it where something is wrong.

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "run/session.h"
#include "run/watch/resources.h"

namespace indexfuzz {

/// The cases of the batch, to be run again: by their numbers. `get`: false where it is not known
/// any more.
struct BatchCases {
  std::uint64_t first, end;
  std::function<bool(std::uint64_t number, Case& c)> get;
};

/// What is done with a failure that is found here: count it and tell it.
using ReportFailure = std::function<void(const RunnableCase& c, std::uint64_t number,
                                         std::size_t implementation, const Verdict& verdict)>;

/// The verdict on a call that changed global state: an input that all calls share.
Verdict changed_state(const std::string& what);

/// Whether a kernel has changed global state since the last look; it is put back, and the end of
/// the batch will look for who did it. A wrong result may then be another's fault.
bool put_back_global_state(Session& session);

/// Looks for writes far outside every operand and for changed global state since the last batch,
/// and runs the batch again for the calls that did it.
void look_back(Session& session, const BatchCases& batch, const ReportFailure& report);

/// Calls one case of the batch again and again that has several right results, for one that
/// changes.
void look_for_changing_result(Session& session, const BatchCases& batch,
                              const ReportFailure& report);

/// Cases from one look at a process's memory to the next.
inline constexpr std::uint64_t kLeakTurn = 4096;

/// Looks for what the process holds more than before, and among the cases since the last look for
/// one that keeps something at every call: for threads, processes and files after each batch, for
/// memory, which takes longer to count, once in many.
class LeakWatch {
 public:
  /// Of a process that begins with this case and can run the last `turn` ones again.
  explicit LeakWatch(std::uint64_t first_case, std::uint64_t turn = kLeakTurn) : turn_(turn) {
    counted_.first = memory_.first = first_case;
  }
  void look(Session& session, const BatchCases& batch, const ReportFailure& report);

  /// A call found no memory left: whether one of the cases since the last look keeps some.
  bool explains_lack(Session& session, const BatchCases& batch, const ReportFailure& report);

 private:
  struct Since {
    Held held{};
    std::uint64_t first = 0;  ///< the case at which it was `held`
    bool settled = false;     ///< what is set up once has been
  };
  void look(Session& session, const BatchCases& batch, const ReportFailure& report, Since& since,
            std::span<const Resource> resources, Slot::LeakSearches& searches);
  bool search(Session& session, const BatchCases& cases, const ReportFailure& report);

  std::uint64_t turn_;
  Since counted_, memory_;
};

}  // namespace indexfuzz
