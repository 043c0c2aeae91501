#include "ops/families/moves.h"

namespace indexfuzz {

void copy_operand(const OracleInput& input, int operand, std::byte* destination) {
  const auto k = static_cast<std::size_t>(operand);
  const auto bytes = static_cast<std::int64_t>(item_size(input.c.operands[k].dtype));
  std::memcpy(destination, input.operands[k].data,
              static_cast<std::size_t>(input.operands[k].count * bytes));
}

}  // namespace indexfuzz
