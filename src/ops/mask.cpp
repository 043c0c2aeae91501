#include "ops/mask.h"

#include <algorithm>

#include "ops/repair.h"

namespace indexfuzz {

void settle_mask(Operand& mask, const Limits& limits) {
  clamp_fill(mask.fill, FillFamily::kMask);
  settle_layout(mask, limits, true, false);
  const std::int64_t distinct = distinct_values(mask);
  if (mask.fill.popcount > distinct) {
    mask.fill.popcount =
        static_cast<std::uint32_t>(mask.fill.popcount % static_cast<std::uint64_t>(distinct + 1));
  }
}

std::int64_t set_elements(const Operand& mask) {
  const std::int64_t distinct = distinct_values(mask);
  if (distinct == 0) return 0;
  return std::min<std::int64_t>(mask.fill.popcount, distinct) * (numel(mask.shape) / distinct);
}

bool is_set(Dtype dtype, const std::byte* element) {
  const bool two_zeros = is_floating_or_complex(dtype) && !is_fnuz(dtype);
  const std::size_t size = item_size(component(dtype));
  for (std::size_t at = 0; at < item_size(dtype); at += size) {
    for (std::size_t i = 0; i < size; ++i) {
      // Little-endian: the last byte of a floating-point number begins with its sign.
      const std::byte sign{two_zeros && i + 1 == size ? std::uint8_t{0x80} : std::uint8_t{0}};
      if ((element[at + i] & ~sign) != std::byte{0}) return true;
    }
  }
  return false;
}

}  // namespace indexfuzz
