#include "ops/families/coordinates.h"

#include <algorithm>

#include "ops/families/mask.h"

namespace indexfuzz {

std::int64_t write_coordinates(const OracleInput& input, std::int64_t most,
                               std::byte* destination) {
  const Operand& self = input.c.operands[0];
  const LogicalOperand& elements = input.operands[0];
  auto* to = reinterpret_cast<std::int64_t*>(destination);
  std::int64_t rows = 0;
  with_truths(self.dtype, elements.data, [&](auto is_set) {
    // A position in a self of rank 0 has no coordinates.
    if (self.shape.empty()) {
      rows = most > 0 && is_set(0) ? 1 : 0;
      return;
    }
    const std::size_t last = self.shape.size() - 1;
    Dims position(last + 1, 0);
    for (std::int64_t i = 0; i < elements.count && rows < most;) {
      for (std::int64_t inner = 0; inner < self.shape[last]; ++inner, ++i) {
        if (!is_set(i)) continue;
        if (rows == most) return;
        position[last] = inner;
        to = std::ranges::copy(position, to).out;
        ++rows;
      }
      for (std::size_t d = last; d-- > 0;) {
        if (++position[d] < self.shape[d]) break;
        position[d] = 0;
      }
    }
  });
  return rows;
}

}  // namespace indexfuzz
