#pragma once
// Shapes that broadcast together.

#include "case/dims.h"
#include "case/limits.h"

namespace indexfuzz {

/// Makes `shape` broadcastable to `to`: surplus dimensions in front are dropped, sizes of 1 stay,
/// all others become those of `to`.
void fit_broadcast(Dims& shape, const Dims& to);
/// Makes `shape` broadcast together with `other`, which may stretch too. If their common shape
/// exceeds the limits, makes `shape` broadcastable to `other`.
void fit_broadcast_either_way(Dims& shape, const Dims& other, const Limits& limits);

}  // namespace indexfuzz
