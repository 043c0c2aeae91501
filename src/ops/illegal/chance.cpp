#include "ops/illegal/chance.h"

#include <algorithm>
#include <limits>

#include "case/number.h"

namespace indexfuzz {

std::uint64_t chance_of(const Case& c) {
  std::uint64_t sum = 0;
  for (const Operand& operand : c.operands) sum += operand.fill.seed;
  return sum == 0 ? 0 : hash1(sum, 1);
}

std::uint64_t chance_of(const Operand& operand, std::uint64_t what) {
  return operand.fill.seed == 0 ? 0 : hash1(what, operand.fill.seed);
}

std::int64_t far_out(std::int64_t value, Dtype dtype, std::uint64_t chance) {
  using Wide = std::numeric_limits<std::int64_t>;
  const std::int64_t sign = value < 0 ? -1 : 1;
  const std::int64_t near = value + sign * static_cast<std::int64_t>(chance / 8 % 100);
  const std::int64_t numbers = std::int64_t{1} << std::min(info(dtype).exact_bits, 31);
  const std::int64_t narrowest = value < 0 ? -numbers : numbers - 1;
  switch (chance % 4) {
    case 0: return near;
    case 1: return narrowest;
    case 2: return dtype != Dtype::kInt64 ? near : sign * (std::int64_t{1} << 32);
    default: return dtype != Dtype::kInt64 ? narrowest : value < 0 ? Wide::min() : Wide::max();
  }
}

}  // namespace indexfuzz
