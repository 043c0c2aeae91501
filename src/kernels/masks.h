#pragma once
// What the kernels with a mask share.

#include <ATen/core/Tensor.h>

#include "geometry.h"
#include "truth.h"

namespace kernels {

/// The shape that self and a bool mask take together.
DimVector masked_sizes(const Tensor& self, const Tensor& mask);

/// Refuses a mask that does not broadcast to self, which is written.
void check_mask_fits(const Tensor& self, const Tensor& mask);

/// The elements of a tensor broadcast to `sizes`, by whether they are zero.
Truth truth_of(const Tensor& tensor, IntArrayRef sizes);

/// The row-major numbers of the elements that are set, in ascending order, as int64 on the tensor's
/// device. Waits for it, since how many there are decides the result's shape.
Tensor set_numbers(const Tensor& tensor, IntArrayRef sizes);

/// For each element how many before it are set, as int64 on the mask's device.
Tensor set_before(const Tensor& mask, IntArrayRef sizes);

/// A row for each element of self that is set: its coordinates.
Tensor set_coordinates(const Tensor& self);
/// The same into `to`, which has the rows that `numbers` asks for.
void write_coordinates(const Tensor& self, const Tensor& numbers, const Tensor& to);

}  // namespace kernels
