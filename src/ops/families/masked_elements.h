#pragma once
// Shared by the masked operators: self and a mask that broadcast together, and the elements that
// the mask selects, in row-major order of the broadcast shape.

#include "case/broadcast.h"
#include "case/walk.h"
#include "ops/definition/operator.h"

namespace indexfuzz {

/// How many elements a settled mask selects once both are broadcast.
std::int64_t selected_elements(const Dims& self, const Operand& mask);

/// Calls f(i, element of self, whether it is selected) for every element i of the broadcast shape,
/// in order. `truths` are the mask's dense elements.
template <typename F>
void for_each_masked(const Dims& self, const Dims& mask, const std::byte* truths, F&& f) {
  const Dims shape = broadcast_shape(self, mask);
  for_each_element(
      shape,
      [&](std::int64_t i, std::int64_t element, std::int64_t truth) {
        f(i, element, truths[truth] != std::byte{0});
      },
      broadcast_strides(self, rank(shape)), broadcast_strides(mask, rank(shape)));
}

}  // namespace indexfuzz
