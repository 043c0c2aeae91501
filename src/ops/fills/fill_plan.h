#pragma once
// The bounds on a fill's values that depend on the whole operand, so that sums and products over it
// are exact in any order.

#include <cstdint>

#include "ops/fills/numbering.h"

namespace indexfuzz {

/// Terms of a sum: integers of magnitude 1 to `magnitude`, which some fills multiply by a constant.
/// 0 for values whose number is not a multiple of `one_in` and, unless `fits`, for all.
struct SumTerms {
  std::int64_t one_in = 1;
  std::uint64_t magnitude = 1;
  bool fits = true;
  bool is_wide = false;  ///< they may use all bits of an integer dtype
};
/// Whether other operands are added to operand k. True for self, except where it is the only
/// operand and its own elements are summed.
bool begins_sums(const Case& c, int k);
/// The terms of operand k, which has a fill for sums and components of the dtype `real`. Each
/// element of self may use half of the exact range; all elements of another operand together share
/// the other half.
SumTerms sum_terms(const Case& c, int k, Dtype real, const Numbering& numbering);

/// Factors of a product: 1 to `most`, and 1 for values whose number is not a multiple of `one_in`.
struct Factors {
  std::int64_t one_in = 1;
  std::uint64_t most = 1;
};
/// The factors of operand k, for products of one element of self and all of another operand.
Factors factors(const Case& c, int k, Dtype real, const Numbering& numbering);

}  // namespace indexfuzz
