#pragma once

#include "case/case.h"

namespace indexfuzz {

/// Restricts floating-point operands that are summed to fills whose sums are exact in any order or,
/// with `adds_once` (nothing is added to an element twice), are rounded only once.
void settle_sums(Operand& self, Operand& source, bool adds_once);
/// As settle_sums(), for sums that are then divided: no kSums6, of which only halves and
/// quarters are exact.
void settle_means(Operand& self, Operand& source);

}  // namespace indexfuzz
