#include "judge/same_view.h"

#include "case/strided_copy.h"

namespace indexfuzz {

bool is_same_view(const Arena& arena, int operand, const ReturnedTensor& tensor) {
  const auto k = static_cast<std::size_t>(operand);
  const Operand& drawn = arena.current().operands[k];
  const PlacedOperand& placed = arena.operands()[k];
  return (tensor.data == placed.data || placed.count == 0) && tensor.dtype == drawn.dtype &&
         tensor.shape == drawn.shape &&
         same_strides(drawn.shape, tensor.strides, placed.view.strides);
}

}  // namespace indexfuzz
