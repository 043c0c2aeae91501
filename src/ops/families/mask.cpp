#include "ops/families/mask.h"

#include <algorithm>

#include "ops/repair/clamp.h"
#include "ops/repair/fit_broadcast.h"
#include "ops/repair/settle_layout.h"

namespace indexfuzz {

void settle_mask(Operand& mask, const Limits& limits) {
  clamp_fill(mask.fill, FillFamily::kMask);
  settle_layout(mask, limits, Overlap::kExpanded);
  const std::int64_t distinct = distinct_values(mask);
  if (mask.fill.popcount > distinct) {
    mask.fill.popcount =
        static_cast<std::uint32_t>(mask.fill.popcount % static_cast<std::uint64_t>(distinct + 1));
  }
}

void fit_mask(Operand& mask, const Dims& self, Variant variant, const Limits& limits) {
  mask.dtype = Dtype::kBool;
  if (variant == Variant::kInPlace)
    fit_broadcast(mask.shape, self);
  else
    fit_broadcast_either_way(mask.shape, self, limits);
  settle_mask(mask, limits);
}

std::int64_t set_elements(const Operand& mask) {
  const std::int64_t distinct = distinct_values(mask);
  if (distinct == 0) return 0;
  return std::min<std::int64_t>(mask.fill.popcount, distinct) * (numel(mask.shape) / distinct);
}

std::uint64_t bits_beside_sign(Dtype real) {
  const std::uint64_t all = ~std::uint64_t{0} >> (64 - 8 * item_size(real));
  const bool two_zeros = is_floating_or_complex(real) && !is_fnuz(real);
  return two_zeros ? all >> 1 : all;
}

}  // namespace indexfuzz
