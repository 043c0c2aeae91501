#pragma once
// Calls that do not give back all that they took.

#include <optional>

#include "run/session/session.h"
#include "run/watch/resources.h"

namespace indexfuzz {

/// What the process holds. First frees the results that the session keeps, so that they do not
/// count.
Held held_by_calls(Session& session);

/// kLong is for a process that has merely noticed growth: it must go on for very many calls. kShort
/// is for re-runs of a case that is already suspected: fewer calls suffice.
enum class LeakSearch : bool { kShort, kLong };

/// Calls the implementation again and again on the case in the arena, and finds a leak if one
/// resource grows in each of several rounds, in proportion to the calls. A cache, a pool or a lazy
/// initialisation stops growing. Costs 64 calls if there is no leak, else some thousand and, with
/// kLong, up to fifteen times as many more. None if the supervisor asks for the end meanwhile.
/// These calls are not judged.
std::optional<Verdict> find_leak(Session& session, std::size_t implementation, const Plan& plan,
                                 LeakSearch search);

}  // namespace indexfuzz
