#pragma once
// Ways to break a rule by what an operand holds. Each changes a legal case and returns whether it
// could.

#include <cstdint>

#include "ops/definition/operator.h"

namespace indexfuzz {

/// The end of a range beyond which an index is put.
enum class End : bool { kBelow, kAbove };
/// Sets the element at a row-major position to `value`, whatever the fill says.
inline void poke(Operand& operand, std::int64_t position, std::int64_t value) {
  operand.poked = true;
  operand.poke_position = position;
  operand.poke_value = value;
}
/// Sets one index to `value`, which must be out of range, or to one further out on that side; false
/// if the operand has no index to set, or a sliding dimension.
bool poke_index(Case& c, int operand, std::int64_t value);
/// Sets a number of rank 0 to the least power of two beyond the range of `target`; false unless
/// that is uint8, a signed integer dtype or float16.
bool overflow_number(Case& c, int operand, Dtype target);

}  // namespace indexfuzz
