#pragma once
// Calls that keep something of what they took.

#include <optional>

#include "run/session.h"
#include "run/watch/resources.h"

namespace indexfuzz {

/// What the process holds beside the results that the session still keeps, which it lets go of.
Held held_by_calls(Session& session);

/// How long one looks: what a process that has seen growth once reports is to grow for very long;
/// what is known to is told from less.
enum class LeakSearch : bool { kShort, kLong };

/// Calls the implementation again and again on the case that lies in the arena, and finds a leak
/// where one resource grows in each of several rounds, in proportion to the calls: a cache, a pool
/// or a lazy initialisation comes to rest. A call without a leak costs 64 more; one with it some
/// thousand, or ten times as many in a long search. What the calls return is not judged.
std::optional<Verdict> find_leak(Session& session, std::size_t implementation, const Plan& plan,
                                 LeakSearch search);

}  // namespace indexfuzz
