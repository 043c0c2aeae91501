#pragma once
// Broadcasting: shapes are aligned at their last dimensions, and sizes of 1 stretch.
// https://pytorch.org/docs/stable/notes/broadcasting.html

#include "case/dims.h"
#include "case/limits.h"

namespace indexfuzz {

/// Widens `shape` to hold `other` too; sizes of 1 give way.
void broadcast_into(Dims& shape, const Dims& other);
bool broadcasts_with(const Dims& shape, const Dims& other);
/// The shape that two shapes which broadcast together take.
Dims broadcast_shape(const Dims& a, const Dims& b);

/// Row-major strides of `shape` as it is broadcast to a rank: 0 where it has size 1.
Dims broadcast_strides(const Dims& shape, int to_rank);

/// Makes `shape` broadcastable to `to`: sizes of 1 stay, all others become the other's.
void fit_broadcast(Dims& shape, const Dims& to);
/// Makes `shape` broadcast with `other`, either way; where both together exceed the limits, to it.
void fit_broadcast_either_way(Dims& shape, const Dims& other, const Limits& limits);

}  // namespace indexfuzz
