#include "ops/repair/settled_sums.h"

#include "ops/numbers/cast.h"

namespace indexfuzz {

namespace {

/// The plainest fill for sums whose values are multiples of the same unit as those of `sums`: of 1,
/// of a fraction (kSums2) or of a subnormal number (kSums6).
FillKind grid(FillKind sums) {
  return sums == FillKind::kSums2 || sums == FillKind::kSums6 ? sums : FillKind::kSums1;
}

}  // namespace

void settle_sums(Operand& self, Operand& source, bool adds_once) {
  if (!is_floating_or_complex(self.dtype)) return;
  const bool is_wide = has_room_for_fractions(self.dtype);
  const bool may_round = adds_once && rounds_in_one_way(self.dtype);
  if (may_round &&
      (self.fill.kind == FillKind::kSums4 || (!is_wide && self.fill.kind == FillKind::kHash1))) {
    self.fill.kind = source.fill.kind = FillKind::kSums4;
    return;
  }
  for (Operand* operand : {&self, &source}) {
    FillKind& kind = operand->fill.kind;
    if (kind == FillKind::kZeros) continue;
    if (is_wide && (kind == FillKind::kHash1 || kind == FillKind::kSums2))
      kind = FillKind::kSums2;
    else if (kind == FillKind::kSpecial1 || kind == FillKind::kSums3)
      kind = FillKind::kSums3;
    else if (!is_wide || kind != FillKind::kSums6)
      kind = FillKind::kSums1;
  }
  // Sums are exact only if both operands are on one grid; take self's.
  FillKind& kind = source.fill.kind;
  if (self.fill.kind == FillKind::kZeros || kind == FillKind::kZeros) return;
  if (grid(kind) != grid(self.fill.kind)) kind = grid(self.fill.kind);
}

void settle_means(Operand& self, Operand& source) {
  settle_sums(self, source, false);
  // Subnormal numbers are too coarse for other quotients than halves and quarters.
  for (Operand* operand : {&self, &source})
    if (operand->fill.kind == FillKind::kSums6) operand->fill.kind = FillKind::kSums1;
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
