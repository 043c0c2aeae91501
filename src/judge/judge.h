#pragma once
// Expectation × Observation → Verdict.

#include <string_view>

#include "judge/standing.h"
#include "judge/verdict.h"
#include "memory/arena.h"
#include "memory/observation.h"

namespace indexfuzz {

/// Whether an implementation may refuse a legal case with this message: only a custom kernel may,
/// unless it is strict, and only by an error that is raised on purpose. CUDA errors (the launch of
/// an empty grid) are not, and neither are errors of the C++ library or Python itself (an index
/// past the end of a vector or list), nor what PyTorch says of a gradient that is missing or has
/// another shape.
bool may_refuse(const Standing& standing, std::string_view message);

/// Judges one call on the case in the arena, from the memory as the call left it. Elements of the
/// written operand that differ from its image (such as an admissible duplicate or another NaN) are
/// copied into the image.
Verdict judge(Arena& arena, const Observation& observation, const Standing& standing);

/// The verdict on a call that ATen takes, but that the kernel's contract demands to be refused.
/// `as_legal`: that of judge(). `why`: what the contract leaves out: "strides of self".
Verdict judge_outside_contract(const Verdict& as_legal, const Observation& observation,
                               std::string_view why);

/// Whether a finding is that the kernel took a case that its contract leaves out.
inline bool took_outside_contract(const Verdict& verdict, const Case& c) {
  return verdict.kind == Kind::kAccept && c.breaks == 0;
}

}  // namespace indexfuzz
