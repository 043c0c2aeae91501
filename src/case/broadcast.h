#pragma once
// Broadcasting: shapes are aligned at their last dimensions, and sizes of 1 stretch.
// https://pytorch.org/docs/stable/notes/broadcasting.html

#include "case/dims.h"

namespace indexfuzz {

/// Turns `shape` into its common shape with `other`: sizes of 1 become the other's.
void broadcast_into(Dims& shape, const Dims& other);
/// Whether two shapes broadcast together: aligned at their last dimensions, sizes are equal or 1.
bool broadcasts_with(const Dims& shape, const Dims& other);
/// The common shape of two shapes that broadcast together.
Dims broadcast_shape(const Dims& a, const Dims& b);

/// Row-major strides of `shape`, broadcast to a rank: 0 for sizes of 1 and for dimensions added in
/// front.
Dims broadcast_strides(const Dims& shape, int to_rank);

}  // namespace indexfuzz
