#pragma once
// One case of a campaign through everyone who has its form, whichever engine drew it.

#include <cstdint>
#include <optional>

#include "run/batch.h"
#include "run/batch_end.h"
#include "run/call_outcome.h"
#include "run/session.h"

namespace indexfuzz {

/// A call that found no memory left. It may have been taken by others.
struct Lack {
  Case c;
  std::uint64_t number;
  std::size_t implementation;
  Verdict verdict;
};

/// Runs case `number` through everyone on the CPU who has its form, judges and counts; a new
/// failure is handed to the supervisor, for which this waits. `broken` is room for an illegal case.
/// After a lack of memory the session is spent.
void judge_one(Session& session, std::uint64_t number, const Case& drawn, RunnableCase& broken,
               CallOutcomes& outcomes, std::optional<Lack>& lack);

/// Whether a case showed what further ones may be made from: something was verified, which leaves
/// out a case that nobody supports and an empty one, and nothing failed, since what is near a
/// failing case is mostly the same failure.
bool is_worth_keeping(const CallOutcomes& outcomes);

/// Counts what the end of a batch finds, and hands it to the supervisor.
ReportFailure report_to(Session& session);

/// Looks back on the cases of a batch: for stray writes, changed state and leaks.
void end_batch(Session& session, LeakWatch& leaks, const BatchCases& batch);
/// The same where no case follows: after a lack of memory, for the case whose kernel keeps it.
void end_last_batch(Session& session, LeakWatch& leaks, const BatchCases& batch,
                    const std::optional<Lack>& lack);

}  // namespace indexfuzz
