#pragma once
// What happens to a campaign's verdicts: they are counted, or handed to the supervisor.

#include "judge/verdict.h"
#include "run/session/session.h"

namespace indexfuzz {

/// The counters of an implementation and the case's operator.
Tally& tally_of(Session& session, std::size_t implementation, const Case& c);
/// Counts a verdict. `illegal`: the case's rule was applied.
void tally(Session& session, std::size_t implementation, const Verdict& verdict, const Case& named,
           bool illegal);

/// Hands a failure that is not silenced to the supervisor, and waits until it has taken note of it,
/// even if it asks for the end.
void report(Session& session, const Case& named, std::uint64_t number, std::size_t implementation,
            const Verdict& verdict);

/// Whether the supervisor asks for the end or the parent process is gone.
bool must_end(const Session& session);

}  // namespace indexfuzz
