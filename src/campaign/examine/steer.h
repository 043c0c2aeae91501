#pragma once
// The supervisor's side of run/steering.h.

#include "campaign/examine/finding.h"
#include "campaign/workers/zygote_client.h"
#include "case/case.h"
#include "judge/signature.h"

namespace indexfuzz {

/// Whether the traits of a finding tell which cases fail, or each that does so costs too much to be
/// met again.
bool is_to_be_steered(const Finding& finding);

/// Whether each failure of this kind takes as long as a million cases: a hang its time limit, a
/// GPU's context seconds of all that work there.
bool costs_seconds(const Verdict& verdict, bool on_gpu);

/// Tells the workers of a failure by its minimal case and what is essential in it: cases like it
/// and no smaller than `least_elements` (of any size where each costs seconds) become rare, 1 % of
/// what they run, and much rarer where each costs what thousands of others do. Failures beyond
/// kMaxSteered are not told: they only cost time.
void steer_away(ZygoteClient& zygote, const Case& minimal, const TraitSet& essential,
                const Verdict& verdict, std::uint32_t implementation,
                std::int64_t least_elements = 0);

}  // namespace indexfuzz
