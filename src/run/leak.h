#pragma once
// Calls that do not give back all that they took.

#include <optional>

#include "run/session.h"
#include "run/watch/resources.h"

namespace indexfuzz {

/// What the process holds, without the results that the session still keeps, which are freed first.
Held held_by_calls(Session& session);

/// kLong is for a process that has merely noticed growth: it must go on for very many calls. kShort
/// is for re-runs of a case that is already suspected: fewer calls suffice.
enum class LeakSearch : bool { kShort, kLong };

/// Calls the implementation again and again on the case in the arena, and finds a leak if one
/// resource grows in each of several rounds, in proportion to the calls; a cache, a pool or a lazy
/// initialisation stops growing. Costs 64 calls if there is no leak, otherwise some thousand, and
/// in a long search up to fifteen times as many after them; finds none if the supervisor asks for
/// the end meanwhile. The verdicts of these calls are ignored.
std::optional<Verdict> find_leak(Session& session, std::size_t implementation, const Plan& plan,
                                 LeakSearch search);

}  // namespace indexfuzz
