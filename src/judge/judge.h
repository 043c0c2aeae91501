#pragma once
// Expectation × Observation → Verdict.

#include <string_view>

#include "judge/standing.h"
#include "judge/verdict.h"
#include "memory/arena.h"
#include "memory/observation.h"

namespace indexfuzz {

/// Whether an implementation may refuse a legal case with this message. Only a custom kernel may,
/// unless it is strict, and only by an error that is raised on purpose. These are not: CUDA errors,
/// such as that of launching an empty grid; errors of the C++ library or of Python itself, such as
/// an index past the end of a vector or list; PyTorch's error about a gradient that is missing or
/// has another shape.
bool may_refuse(const Standing& standing, std::string_view message);

/// Whether a written operand is still described as it was laid out: the same memory, dtype, shape
/// and strides. Those of dimensions of size 1 do not matter.
bool is_same_view(const Operand& operand, const PlacedOperand& placed,
                  const ReturnedTensor& tensor);

/// Judges one call on the case in the arena, from the memory as the call left it. Copies into the
/// written operand's image the admissible elements that differ from it, such as another duplicate
/// or another NaN.
Verdict judge(Arena& arena, const Observation& observation, const Standing& standing);

/// The verdict on a call that is legal for ATen, but that the kernel must refuse, since its
/// contract leaves it out. `as_legal`: the verdict of judge(). `why`: what the contract leaves out,
/// as "strides of self".
Verdict judge_outside_contract(const Verdict& as_legal, const Observation& observation,
                               std::string_view why);

/// Whether a finding is that the kernel took a case that its contract leaves out.
inline bool took_outside_contract(const Verdict& verdict, const Case& c) {
  return verdict.kind == Kind::kAccept && c.breaks == 0;
}

}  // namespace indexfuzz
