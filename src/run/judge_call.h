#pragma once
// How a call is judged, given who made it in which job.

#include <optional>

#include "judge/judge.h"
#include "ops/contract/keeps.h"
#include "run/session.h"

namespace indexfuzz {

/// What a contract leaves out of a case that the implementation must therefore refuse although
/// ATen takes it; none if it need not.
std::optional<Breach> to_be_refused(const Implementation& implementation, const Case& named);

/// The verdict on what came back from a call on the case in the arena.
Verdict judge_call(Session& session, std::size_t implementation, const Observation& observation);

/// How strictly the implementation is judged in this job.
Standing standing_of(const Session& session, std::size_t implementation);

}  // namespace indexfuzz
