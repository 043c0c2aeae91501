#pragma once
// Operations that the kernels with a mask share. An element is set if it is not zero.

#include <ATen/core/Tensor.h>

#include "geometry.h"
#include "truth.h"

namespace kernels {

/// The shape to which self and mask broadcast. Throws unless mask is bool and on self's device.
DimVector masked_sizes(const Tensor& self, const Tensor& mask);

/// As masked_sizes(), and throws if that shape is not self's: an in-place operator cannot grow
/// self.
void check_mask_fits(const Tensor& self, const Tensor& mask);

/// Tells which elements of the tensor, broadcast to `sizes`, are set.
Truth truth_of(const Tensor& tensor, IntArrayRef sizes);

/// The row-major numbers of the set elements of the tensor, broadcast to `sizes`: ascending, int64,
/// on the tensor's device. Waits for the device, since their count decides the result's shape.
Tensor set_numbers(const Tensor& tensor, IntArrayRef sizes);

/// For each element of the mask, broadcast to `sizes`, how many before it are set: int64, on the
/// mask's device.
Tensor set_before(const Tensor& mask, IntArrayRef sizes);

/// The coordinates of self's set elements, one row each: int64, on self's device.
Tensor set_coordinates(const Tensor& self);
/// Writes the coordinates of the elements that `numbers` names into the rows of `to`, one each.
void write_coordinates(const Tensor& self, const Tensor& numbers, const Tensor& to);

}  // namespace kernels
