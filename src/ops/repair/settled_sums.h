#pragma once

#include "case/case.h"

namespace indexfuzz {

/// Whether sums in a floating-point or complex dtype have bits to spare for fractions and factors.
inline bool has_room_for_fractions(Dtype dtype) {
  return info(dtype).exact_bits >= info(Dtype::kFloat).exact_bits;
}

/// Restricts floating-point operands that are summed to fills whose sums are exact in any order or,
/// with `adds_once` (nothing is added to an element twice), are rounded only once.
void settle_sums(Operand& self, Operand& source, bool adds_once);
/// As settle_sums(), for sums that are then divided: no subnormal numbers, of which only
/// halves and quarters are exact.
void settle_means(Operand& self, Operand& source);
/// The same for terms that are added to zeros, not to a self.
void settle_terms(Operand& terms);
void settle_terms_of_means(Operand& terms);

}  // namespace indexfuzz
