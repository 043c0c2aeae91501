#include "ops/repair/settled_sums.h"

#include "ops/numbers/cast.h"

namespace indexfuzz {

namespace {

/// The plainest fill for sums whose values are multiples of the same unit as those of `sums`.
FillKind grid(FillKind sums) {
  return has_unit(sums) ? sums : FillKind::kSums1;
}

/// The fill that stands for any other in exact sums of a floating-point or complex dtype.
FillKind fill_for_sums(FillKind kind, Dtype dtype) {
  const bool is_wide = has_room_for_fractions(dtype), is_float8 = item_size(component(dtype)) == 1;
  if (kind == FillKind::kZeros) return kind;
  if (kind == FillKind::kSpecial1 || kind == FillKind::kSums3) return FillKind::kSums3;
  if (kind == FillKind::kSums8 && !is_float8) return kind;
  if (kind == FillKind::kSums6 || kind == FillKind::kSums7) {
    if (is_wide) return FillKind::kSums6;
    if (!is_float8) return FillKind::kSums7;
  }
  const bool takes_fractions = kind == FillKind::kHash1 || kind == FillKind::kSums2;
  return takes_fractions && is_wide ? FillKind::kSums2 : FillKind::kSums1;
}

}  // namespace

void settle_sums(Operand& self, Operand& source, bool adds_once) {
  if (!is_floating_or_complex(self.dtype)) return;
  const bool may_round = adds_once && rounds_in_one_way(self.dtype);
  if (may_round && (self.fill.kind == FillKind::kSums4 ||
                    (self.fill.kind == FillKind::kHash1 && !has_room_for_fractions(self.dtype)))) {
    self.fill.kind = source.fill.kind = FillKind::kSums4;
    return;
  }
  for (Operand* operand : {&self, &source})
    operand->fill.kind = fill_for_sums(operand->fill.kind, self.dtype);
  // Sums are exact only if both operands are on one grid; take self's.
  FillKind& kind = source.fill.kind;
  if (self.fill.kind == FillKind::kZeros || kind == FillKind::kZeros) return;
  if (grid(kind) != grid(self.fill.kind)) kind = grid(self.fill.kind);
}

void settle_means(Operand& self, Operand& source) {
  settle_sums(self, source, false);
  // Subnormal numbers are too coarse for other quotients than halves and quarters.
  for (Operand* operand : {&self, &source})
    if (is_subnormal(operand->fill.kind)) operand->fill.kind = FillKind::kSums1;
}

void settle_terms(Operand& terms) {
  Operand self = terms;
  settle_sums(self, terms, false);
}

void settle_terms_of_means(Operand& terms) {
  Operand self = terms;
  settle_means(self, terms);
}

}  // namespace indexfuzz
