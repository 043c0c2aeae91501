#include "ops/illegal/break_values.h"

#include <limits>

#include "ops/illegal/chance.h"

namespace indexfuzz {

bool poke_index(Case& c, int operand, std::int64_t value) {
  Operand& index = operand_at(c, operand);
  const std::int64_t count = numel(index.shape);
  if (!index.present || count == 0 || family(index.fill.kind) != FillFamily::kIndex) return false;
  // The poked element would share memory with elements of other values.
  if (has_sliding(index.layout)) return false;
  // With a seed the position is random and the value often far out; without one, the last index
  // becomes `value`.
  const std::uint64_t chance = chance_of(index, static_cast<std::uint64_t>(value));
  const auto from_end =
      static_cast<std::int64_t>((chance >> 8) % static_cast<std::uint64_t>(count));
  poke(index, count - 1 - from_end,
       chance % 2 != 0 ? far_out(value, index.dtype, chance >> 40) : value);
  return true;
}

bool overflow_number(Case& c, int operand, Dtype target) {
  constexpr DtypeSet kTargets = kIntegralDtypes | set_of(Dtype::kHalf);
  if (!contains(kTargets, target)) return false;
  Operand& number = operand_at(c, operand);
  // The largest float16 is 65504.
  const int bits = target == Dtype::kHalf
                       ? 16
                       : 8 * static_cast<int>(item_size(target)) - (info(target).is_signed ? 1 : 0);
  number.dtype = bits == 63 || number.dtype == Dtype::kDouble ? Dtype::kDouble : Dtype::kInt64;
  number.fill = Fill{};
  // 2^63 when written as a double, which cannot hold the largest int64.
  poke(number, 0, bits == 63 ? std::numeric_limits<std::int64_t>::max() : std::int64_t{1} << bits);
  return true;
}

}  // namespace indexfuzz
