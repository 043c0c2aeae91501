#pragma once
// What the masked operators share: self and a mask that broadcast together, and the elements that
// the mask selects, in row-major order of the shape that both take.

#include "ops/broadcast.h"
#include "ops/odometer.h"
#include "ops/operator.h"

namespace indexfuzz {

/// How many elements a settled mask selects once both are broadcast.
std::int64_t selected_elements(const Dims& self, const Operand& mask);

/// Calls f(i, element of self, whether it is selected) for every element i of the broadcast shape,
/// in order. `truths` are the mask's dense elements.
template <typename F>
void for_each_masked(const Dims& self, const Dims& mask, const std::byte* truths, F&& f) {
  const Dims shape = broadcast_shape(self, mask);
  const std::int64_t count = numel(shape);
  if (count == 0) return;
  const Dims self_strides = broadcast_strides(self, rank(shape));
  const Dims mask_strides = broadcast_strides(mask, rank(shape));
  Odometer from(shape, self_strides), truth(shape, mask_strides);
  for (std::int64_t i = 0; i < count; ++i, from.next(), truth.next())
    f(i, from.offset(), truths[truth.offset()] != std::byte{0});
}

}  // namespace indexfuzz
