#pragma once
// What becomes of a campaign's verdicts: counted, or handed to the supervisor.

#include "judge/verdict.h"
#include "run/session.h"

namespace indexfuzz {

/// The counters of an implementation and the case's operator.
Tally& tally_of(Session& session, std::size_t implementation, const Case& c);
/// Counts a verdict. `illegal`: on a case whose rule was applied.
void tally(Session& session, std::size_t implementation, const Verdict& verdict, const Case& named,
           bool illegal);

/// Hands a new failure to the supervisor and waits until it has taken note of it.
void report(Session& session, const Case& named, std::uint64_t number, std::size_t implementation,
            const Verdict& verdict);

/// Whether the supervisor asks for the end or is gone.
bool must_end(const Session& session);

}  // namespace indexfuzz
