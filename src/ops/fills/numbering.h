#pragma once
// Numbers the distinct values of an operand's fill: which of them each element takes.

#include "case/case.h"
#include "case/walk.h"

namespace indexfuzz {

/// Element (i0, i1, …) has the value number Σ i_d × strides[d]. Repeated dimensions have stride 0.
/// A sliding dimension shares the numbers of its successor in memory order, as it shares its
/// memory.
struct Numbering {
  Dims strides;            ///< empty if `dense`
  std::int64_t count = 1;  ///< value numbers lie in [0, count); not all are taken if a dimension
                           ///< slides
  bool dense = true;       ///< value number == logical index
};
/// The numbering of an operand, whose layout and fill.repeats must be settled.
Numbering number_values(const Operand& operand);

/// The number of distinct values along the last dimension, at least 1.
std::int64_t values_of_a_row(const Operand& operand);

/// A step below `count` that visits every residue of `count` once.
std::int64_t coprime_step(std::int64_t count, std::uint64_t seed);

/// out[i] = f(value number of element i), for every element in logical order.
template <typename T, typename F>
void write_each(const Operand& operand, const Numbering& numbering, T* __restrict out, F&& f) {
  if (numbering.dense) {
    const std::int64_t total = numel(operand.shape);
    for (std::int64_t i = 0; i < total; ++i) out[i] = f(i);
    return;
  }
  for_each_element(
      operand.shape, [&](std::int64_t i, std::int64_t number) { out[i] = f(number); },
      numbering.strides);
}

/// A hash's lower half scaled to [0, bound), without a division.
inline std::int64_t random_below(std::uint64_t hash, std::uint64_t bound) {
  return static_cast<std::int64_t>(((hash & 0xFFFFFFFFull) * bound) >> 32);
}

}  // namespace indexfuzz
