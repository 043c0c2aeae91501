#pragma once
// Runs one case of a campaign on all implementations that have its form, whichever engine drew it.

#include <cstdint>
#include <optional>

#include "run/batch_end.h"
#include "run/call_outcome.h"
#include "run/session.h"
#include "run/shared/batch.h"

namespace indexfuzz {

/// A call that found no memory left. Other calls may have used it up.
struct Lack {
  Case c;
  std::uint64_t number;
  std::size_t implementation;
  Verdict verdict;
};

/// Runs case `number` on every implementation on the CPU that choose() selects, judges and counts.
/// Hands a new failure to the supervisor and waits for it. `broken` is room for an illegal case. If
/// a call finds no memory left, sets `lack`, and the session is spent.
void judge_one(Session& session, std::uint64_t number, const Case& drawn, RunnableCase& broken,
               CallOutcomes& outcomes, std::optional<Lack>& lack);

/// Whether further cases may be made from this one: something was verified, which excludes an empty
/// case and one that no implementation supports, and nothing failed, since cases near a failing one
/// mostly show the same failure.
bool is_worth_keeping(const CallOutcomes& outcomes);

/// Returns a function that counts what the end of a batch finds, and hands it to the supervisor.
ReportFailure report_to(Session& session);

/// Checks the cases of a batch for stray writes, changed state, results that change, and leaks.
void end_batch(Session& session, LeakWatch& leaks, const BatchCases& batch);
/// As end_batch(), when no case follows. After a lack of memory it looks for the case whose kernel
/// keeps memory instead, and reports `lack` if there is none.
void end_last_batch(Session& session, LeakWatch& leaks, const BatchCases& batch,
                    const std::optional<Lack>& lack);

}  // namespace indexfuzz
