#pragma once
// Expectation × Observation → Verdict.

#include <string_view>

#include "judge/verdict.h"
#include "memory/arena.h"
#include "memory/observation.h"

namespace indexfuzz {

/// What the judge must know of the implementation.
struct Standing {
  bool is_custom = false;  ///< may narrow itself by refusing legal cases
  bool strict = false;     ///< no: such a refusal is a finding
};

/// Whether a legal case may be refused with this message: a custom kernel narrows itself so. Nobody
/// means to refuse by an error of CUDA, as that of a launch of no blocks, nor by one that C++'s
/// library or Python raises by itself, as behind the end of a vector or a list.
bool may_refuse(const Standing& standing, std::string_view message);

/// Judges one call on the case that lies in the arena. Reads the arena's memory as the call left
/// it. Elements of the written operand that are right though other than the oracle's (an admissible
/// duplicate, another NaN) are copied into the image.
Verdict judge(Arena& arena, const Observation& observation, const Standing& standing);

/// The verdict on a call that ended its process by a signal.
Verdict judge_death(const Case& c, int signal, int faulting_operand, bool fault_in_heap_guard);
/// The same, where it wrote into an input that was read-only for that call.
Verdict judge_written_input(const Case& c, int signal, int operand);

}  // namespace indexfuzz
