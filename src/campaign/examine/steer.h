#pragma once
// The supervisor's side of run/session/steering.h.

#include "campaign/examine/finding.h"
#include "campaign/workers/zygote_client.h"
#include "case/case.h"
#include "judge/signature.h"

namespace indexfuzz {

/// Whether cases like a failure are to be steered: its essential traits tell which cases fail, or
/// each such case costs too much.
bool is_to_be_steered(const Verdict& verdict, const TraitSet& essential);
/// The same for a finding, which chance or earlier calls may decide.
bool is_to_be_steered(const Finding& finding);

/// Whether each failure of this kind costs as much time as a million cases: a hang takes its time
/// limit, and a new context on a GPU takes seconds from every process there.
bool costs_seconds(const Verdict& verdict, bool on_gpu);

/// Tells the workers to steer cases like a failure, given its minimal case and its essential
/// traits. Such cases with at least `least_elements` elements (of any size if costs_seconds())
/// become rare: 1 % of the cases that run, and far fewer if each costs as much as thousands of
/// others. Failures beyond kMaxSteered, and ones with more than kMostSteeringTraits essential
/// traits, are left out, which only costs time.
void steer_away(ZygoteClient& zygote, const Case& minimal, const TraitSet& essential,
                const Verdict& verdict, std::uint32_t implementation,
                std::int64_t least_elements = 0);

}  // namespace indexfuzz
