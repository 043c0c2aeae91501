#pragma once
// What the values of a fill must know of the whole operand, so that sums and products over it are
// exact in any order.

#include <cstdint>

#include "ops/numbering.h"

namespace indexfuzz {

/// Terms of a sum: whole numbers (or such times a factor) of at most `magnitude`. All are 0 but
/// those whose number is a multiple of `one_in`; where `fits` is false these are, too.
struct SumTerms {
  std::int64_t one_in = 1;
  std::uint64_t magnitude = 1;
  bool fits = true;
  bool is_wide = false;  ///< they may take all the bits that an integer dtype has
};
/// Of operand k with a fill for sums, whose components are of the dtype `real`: self may use half
/// of what stays exact in every element, the others share the other half among all of theirs.
SumTerms sum_terms(const Case& c, int k, Dtype real, const Numbering& numbering);

/// Factors of a product: 1 to `most`, and 1 where their number is no multiple of `one_in`.
struct Factors {
  std::int64_t one_in = 1;
  std::uint64_t most = 1;
};
/// Of operand k, for a product of one element of self and all of the others.
Factors factors(const Case& c, int k, Dtype real, const Numbering& numbering);

}  // namespace indexfuzz
