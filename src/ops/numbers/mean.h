#pragma once
// The admissible values of a mean of floating-point numbers, whichever way it is computed.

#include <span>

#include "ops/definition/operator.h"

namespace indexfuzz {

/// How far a mean of these terms may be from the nearest number, whose neighbours are admissible as
/// well. Covers three ways to compute it: dividing the sum, or multiplying it by the reciprocal;
/// adding the quotients; and updating a running mean by (term - mean) / k. 0 for at most one term,
/// for dtypes that are not floating point, and if a term is not finite: the sum of the terms is
/// then the mean, and a running mean has to take care of that.
///
/// Each rounding is to the dtype or to a wider one. If roundings to the dtype could be off by more
/// than a quarter of S / n, as with more than 51 terms in bfloat16 or 494 in float16, they must be
/// to float32 or wider.
///
/// Derivation, with u half the distance from 1 to the next number and S the sum of the n terms'
/// magnitudes: the quotients together are off by at most u S / n, or twice that as products with
/// the reciprocal, and each of the n - 1 additions by at most u S / n. Step k of a running mean m
/// is off by u (2 |term - m| / k + |m|) with |m| <= S / k, and k / n of that remains in the end: u
/// S / n (n + 2 + 2 (1 + ln n)) in all. Rounding to the nearest number adds u S / n. For errors of
/// errors see Higham, Accuracy and Stability of Numerical Algorithms, section 3.1.
double mean_tolerance(Dtype dtype, std::span<const Contribution> terms);

}  // namespace indexfuzz
