#pragma once
// One call on the host, on the case that lies in the arena.

#include "judge/verdict.h"
#include "run/session/session.h"

namespace indexfuzz {

/// With kReadOnly, a call that writes into an input ends the process.
enum class Inputs : bool { kWritable, kReadOnly };
/// Calls an implementation on the case in the arena and judges what came back. Frees the results.
Verdict call(Session& session, std::size_t implementation, const Plan& plan,
             Inputs inputs = Inputs::kWritable);

/// Makes the arena ready for another call on its case, after a call that was judged.
void lay_out_again(Session& session, const Case& applied);
/// As call(), but without a judgement: the results stay alive until forget().
void observe(Session& session, std::size_t implementation, const Plan& plan);
void forget(Session& session, std::size_t implementation, const Plan& plan);

/// Notes in the slot that a call is under way, so that the supervisor, which looks for progress,
/// can tell a hang.
void begin_call(Session& session, std::size_t implementation, const Plan& plan);

/// For an illegal case, whose legal base must lie in the arena: whether the implementation accepts
/// the base. Leaves what came back in `session.observation`.
bool accepts_base(Session& session, std::size_t implementation, const Plan& plan);

}  // namespace indexfuzz
