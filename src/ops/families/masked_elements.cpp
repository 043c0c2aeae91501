#include "ops/families/masked_elements.h"

#include "ops/families/mask.h"

namespace indexfuzz {

std::int64_t selected_elements(const Dims& self, const Operand& mask) {
  const std::int64_t own = numel(mask.shape);
  if (own == 0) return 0;
  return set_elements(mask) * (numel(broadcast_shape(self, mask.shape)) / own);
}

}  // namespace indexfuzz
