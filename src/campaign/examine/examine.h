#pragma once
// Of a confirmed failure the smallest case, what of it is essential, and what it does.

#include "campaign/examine/confirm.h"
#include "judge/signature.h"

namespace indexfuzz {

/// The smallest case with the same shrink key, confirmed to fail in a process of its own.
Case shrink_failure(Runner& runner, const Case& c, const Confirmation& confirmation,
                    const ExamineOptions& options);

/// The traits of a failing case of which resetting any one makes it pass. None where it fails too
/// rarely to tell.
TraitSet essential_traits(Runner& runner, const Case& minimal, const Confirmation& confirmation,
                          const ExamineOptions& options);

/// Of an illegal case that a custom kernel takes: whether it fails only behind its legal base,
/// which a run calls first. A program must call that too then.
bool needs_base(Runner& runner, const Case& minimal, const Confirmation& confirmation,
                const ExamineOptions& options);

/// What a case does now, alone in a process; where it passes this time the confirmed verdict, which
/// then names no elements.
Verdict verdict_on(Runner& runner, const Case& c, const Confirmation& confirmation,
                   const ExamineOptions& options);

}  // namespace indexfuzz
