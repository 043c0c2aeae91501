#pragma once
// For a confirmed failure: the smallest case, its essential traits, and what it does.

#include "campaign/examine/confirm.h"
#include "judge/signature.h"

namespace indexfuzz {

/// The smallest case with the same shrink key, confirmed to fail in a process of its own.
Case shrink_failure(Runner& runner, const Case& c, const Confirmation& confirmation,
                    const ExamineOptions& options);

/// The traits of a failing case of which resetting any one makes it pass. None if it fails too
/// rarely to tell.
TraitSet essential_traits(Runner& runner, const Case& minimal, const Confirmation& confirmation,
                          const ExamineOptions& options);

/// For an illegal case on a custom kernel: whether it fails only if its legal base is called first,
/// as each run does. A stand-alone program must then call the base, too.
bool needs_base(Runner& runner, const Case& minimal, const Confirmation& confirmation,
                const ExamineOptions& options);

/// The verdict on a case in one more run, or in a few for an intermittent failure. If these pass,
/// the confirmed verdict without its elements, which are another case's. For a hang, which is not
/// run again, the confirmed verdict.
Verdict verdict_on(Runner& runner, const Case& c, const Confirmation& confirmation,
                   const ExamineOptions& options);

}  // namespace indexfuzz
