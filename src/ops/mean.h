#pragma once
// What a mean of floating-point numbers may be, whichever way it is computed.

#include <span>

#include "ops/operator.h"

namespace indexfuzz {

/// How far a mean of these terms may be from the nearest number, beside being a neighbour of that,
/// in any of three ways: their sum divided, or times the reciprocal; their quotients added; a mean
/// updated by (term - mean) / k. 0 for at most one term, whose mean it is, and where a term is no
/// finite number: then the sum of the terms is the mean, and an update has to see to that.
///
/// Each rounding is to the dtype, or to a wider one; with more terms than the dtype can tell the
/// mean of to a quarter, which are 51 in bfloat16 and 494 in float16, to float32 at least. With u
/// half the distance from 1 to the next number and S the sum of the n terms' magnitudes: the
/// quotients are off by u S / n together, by twice that as products with the reciprocal, and each
/// of n - 1 sums by u S / n at most. Of an updated mean m, step k is off by u (2 |term - m| / k +
/// |m|), where |m| <= S / k, and k / n of that is left in the end: u S / n (n + 2 + 2 (1 + ln n))
/// in all. The nearest number is off by u S / n once more. Errors of errors: Higham, Accuracy and
/// Stability of Numerical Algorithms, section 3.1.
double mean_tolerance(Dtype dtype, std::span<const Contribution> terms);

}  // namespace indexfuzz
