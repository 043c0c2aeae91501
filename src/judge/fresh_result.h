#pragma once
// Results in memory that the kernel allocated or resized.

#include <optional>

#include "judge/admissible.h"
#include "judge/verdict.h"
#include "memory/arena.h"
#include "memory/observation.h"

namespace indexfuzz {

/// The bytes from the tensor's first element to the end of its last one; 0 without elements, -1 if
/// a stride is negative, or the number exceeds an int64.
std::int64_t extent_bytes(const ReturnedTensor& tensor);
/// Whether all elements that the shape and strides name lie in the tensor's storage.
bool lies_within_storage(const ReturnedTensor& tensor);

/// A finding if the tensor requires a gradient or is an inference tensor: its caller cannot use
/// such a tensor like any other. `operand`: the written one, or -1.
std::optional<Verdict> judge_flags(const ReturnedTensor& tensor, int operand);

/// Judges everything about a result except its elements: that it is defined, on the operands'
/// device, of the expected dtype and shape, within its storage, without overlap, and has no flags
/// (judge_flags()). nullopt if all is right. `operand`: the resized `out`, or -1.
std::optional<Verdict> judge_description(const ResultSpec& expected, const ReturnedTensor& tensor,
                                         int operand);

/// Whether a tensor of another shape holds the result broadcast to that shape, as
/// `out.copy_(result)` leaves it.
bool holds_broadcast_result(const Arena& arena, const ReturnedTensor& tensor,
                            Admissible& admissible);

/// Judges the description, then the elements, read through the strides that came back. nullopt if
/// all is right. `operand`: the resized `out`, or -1.
std::optional<Verdict> judge_fresh(const Arena& arena, const ReturnedTensor& tensor, int operand,
                                   Admissible& admissible);

}  // namespace indexfuzz
