#pragma once
// How a call is judged, given who made it in which job.

#include <optional>

#include "judge/judge.h"
#include "ops/contract/keeps.h"
#include "run/session/session.h"

namespace indexfuzz {

/// If the implementation must refuse the case although ATen takes it: the term of its contract that
/// the case does not keep. Else none.
std::optional<Breach> to_be_refused(const Implementation& implementation, const Case& named);

/// The verdict on what came back from a call on the case in the arena.
Verdict judge_call(Session& session, std::size_t implementation, const Observation& observation);

/// How strictly the implementation is judged in this job.
Standing standing_of(const Session& session, std::size_t implementation);

}  // namespace indexfuzz
