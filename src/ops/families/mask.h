#pragma once
// Masks, and operands with a mask fill. The number of set elements is drawn, not left to chance,
// since it decides the shapes of results and sources.

#include "case/limits.h"
#include "case/number.h"
#include "ops/definition/operator.h"

namespace indexfuzz {

/// Settles the fill, layout and popcount of a mask, whose dtype and shape must be final. Whatever
/// depends on set_elements() must be settled after it.
void settle_mask(Operand& mask, const Limits& limits);

/// Makes `mask` a settled bool mask that broadcasts with self or, for the in-place variant, to
/// self's shape.
void fit_mask(Operand& mask, const Dims& self, Variant variant, const Limits& limits);

/// How many elements of a settled mask are set.
std::int64_t set_elements(const Operand& mask);

/// The bits that distinguish a real number of the dtype from zero: all but the sign of a format
/// with a negative zero.
std::uint64_t bits_beside_sign(Dtype real);

/// Calls f(is_set), where is_set(i) tells whether element i, of any dtype, is non-zero. NaN is
/// non-zero; zeros of either sign are not.
template <typename F>
void with_truths(Dtype dtype, const std::byte* elements, F&& f) {
  const std::uint64_t counting = bits_beside_sign(component(dtype));
  const auto call = [&]<typename Bits>(Bits) {
    if (!is_complex(dtype))
      return f([=](std::int64_t i) {
        return (load<Bits>(elements + i * std::int64_t{sizeof(Bits)}) & counting) != 0;
      });
    f([=](std::int64_t i) {
      const std::byte* const element = elements + i * std::int64_t{2 * sizeof(Bits)};
      return ((load<Bits>(element) | load<Bits>(element + sizeof(Bits))) & counting) != 0;
    });
  };
  switch (item_size(component(dtype))) {
    case 1: return call(std::uint8_t{});
    case 2: return call(std::uint16_t{});
    case 4: return call(std::uint32_t{});
    default: return call(std::uint64_t{});
  }
}

}  // namespace indexfuzz
