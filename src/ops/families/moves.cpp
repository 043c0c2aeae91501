#include "ops/families/moves.h"

#include "ops/numbers/cast.h"

namespace indexfuzz {

const std::byte* elements_as(Dtype dtype, const OracleInput& input, int operand,
                             std::vector<std::byte>& buffer) {
  const auto k = static_cast<std::size_t>(operand);
  const auto& [data, count] = input.operands[k];
  const Dtype from = input.c.operands[k].dtype;
  if (from == dtype) return data;
  buffer.resize(static_cast<std::size_t>(count) * item_size(dtype));
  convert(from, data, dtype, buffer.data(), count);
  return buffer.data();
}

void copy_operand(const OracleInput& input, int operand, std::byte* destination) {
  const auto k = static_cast<std::size_t>(operand);
  const auto bytes = static_cast<std::int64_t>(item_size(input.c.operands[k].dtype));
  std::memcpy(destination, input.operands[k].data,
              static_cast<std::size_t>(input.operands[k].count * bytes));
}

}  // namespace indexfuzz
