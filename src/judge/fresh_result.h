#pragma once
// Results in memory that the kernel allocated or resized.

#include <optional>

#include "judge/admissible.h"
#include "judge/verdict.h"
#include "memory/arena.h"
#include "memory/observation.h"

namespace indexfuzz {

/// Bytes from the tensor's first element to the end of its last; 0 where it has none, -1 where a
/// stride is negative.
std::int64_t extent_bytes(const ReturnedTensor& tensor);
/// Whether all elements that the shape and strides name lie in the tensor's storage.
bool lies_within_storage(const ReturnedTensor& tensor);

/// None where the tensor is one that its caller may use like any other. `operand`: the written one,
/// or -1.
std::optional<Verdict> judge_flags(const ReturnedTensor& tensor, int operand);

/// Judges all that can be told of a result without a look at its elements: that it is there, on the
/// operands' device, of the expected dtype and shape, within its storage, without overlap and
/// without flags; none where all is right. `operand`: the resized `out`, or -1.
std::optional<Verdict> judge_description(const ResultSpec& expected, const ReturnedTensor& tensor,
                                         int operand);

/// Whether a tensor of another shape holds the result broadcast to that shape, as
/// `out.copy_(result)` leaves it.
bool holds_broadcast_result(const Arena& arena, const ReturnedTensor& tensor,
                            Admissible& admissible);

/// Judges the description, then the elements through the strides that came back; none where
/// all is right. `operand`: the resized `out`, or -1.
std::optional<Verdict> judge_fresh(const Arena& arena, const ReturnedTensor& tensor, int operand,
                                   Admissible& admissible);

}  // namespace indexfuzz
