#pragma once
// Verdicts on calls that did not return.

#include "case/case.h"
#include "judge/verdict.h"

namespace indexfuzz {

/// The verdict on a call that ended its process by a signal.
Verdict judge_death(const Case& c, int signal, int faulting_operand, bool fault_in_heap_guard);
/// As judge_death(), for a call that wrote into an input that was read-only during the call.
Verdict judge_written_input(const Case& c, int signal, int operand);

}  // namespace indexfuzz
