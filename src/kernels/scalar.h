#pragma once
// Numbers as elements of a dtype.

#include <ATen/core/Tensor.h>
#include <c10/core/Scalar.h>

#include <array>

#include "number.h"

namespace kernels {

using ElementBytes = std::array<char, 16>;

/// The number as one element of the dtype. Throws if it does not fit, as ATen does.
ElementBytes element_of(const at::Scalar& number, at::ScalarType dtype);

/// The only element of a tensor. Waits for its device.
at::Scalar number_in(const at::Tensor& tensor);

/// How elements of the dtype are added.
Number number_kind(at::ScalarType dtype);

}  // namespace kernels
