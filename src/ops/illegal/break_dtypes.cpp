#include "ops/illegal/break_dtypes.h"

#include <array>

#include "ops/illegal/chance.h"

namespace indexfuzz {
namespace {

/// A dtype other than `right`.
Dtype another_dtype(Dtype right, Dtype plainest, std::uint64_t chance) {
  static constexpr std::array<Dtype, 8> kOthers{Dtype::kDouble,   Dtype::kFloat, Dtype::kHalf,
                                                Dtype::kBFloat16, Dtype::kInt64, Dtype::kInt32,
                                                Dtype::kInt16,    Dtype::kUInt8};
  const Dtype other = kOthers[chance >> 8 & 7];
  return chance % 2 == 0 || other == right ? plainest : other;
}

}  // namespace

bool make_complex(Case& c, int operand, Dtype target) {
  if (is_complex(target) || target == Dtype::kBool) return false;
  operand_at(c, operand).dtype = Dtype::kComplexDouble;
  operand_at(c, operand).fill = Fill{};
  return true;
}

bool change_dtype(Case& c, int operand, Dtype dtype) {
  Operand& target = operand_at(c, operand);
  if (target.dtype == dtype) return false;
  target.dtype = dtype;
  // Index values have no meaning in another dtype, whose storage may be larger.
  target.fill = Fill{FillKind::kZeros, Negatives::kNone, target.fill.repeats, 0, 0};
  target.poked = false;
  return true;
}

bool mismatch_dtype(Case& c, int operand, int other) {
  const Dtype right = operand_at(c, other).dtype;
  const Dtype plainest = right == Dtype::kInt32 ? Dtype::kFloat : Dtype::kInt32;
  return change_dtype(c, operand,
                      another_dtype(right, plainest, chance_of(operand_at(c, operand), 3)));
}

bool become_floating(Case& c, int operand) {
  const bool is_double = chance_of(operand_at(c, operand), 3) % 2 != 0;
  return change_dtype(c, operand, is_double ? Dtype::kDouble : Dtype::kFloat);
}

bool become_narrow(Case& c, int operand) {
  const bool is_int8 = chance_of(operand_at(c, operand), 3) % 2 != 0;
  return change_dtype(c, operand, is_int8 ? Dtype::kInt8 : Dtype::kInt16);
}

bool change_out_dtype(Case& c) {
  if (c.variant != Variant::kOut) return false;
  const Dtype right = c.operands.back().dtype;
  const Dtype plainest = right == Dtype::kDouble ? Dtype::kFloat : Dtype::kDouble;
  return change_dtype(c, static_cast<int>(c.operands.size()) - 1,
                      another_dtype(right, plainest, chance_of(c.operands.back(), 3)));
}

}  // namespace indexfuzz
