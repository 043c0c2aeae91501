#pragma once
// Conversions between dtypes, for values that both hold exactly, or that are rounded or altered in
// one way: operands are drawn so that every conversion has exactly one right result.

#include <cstddef>
#include <cstdint>

#include "case/dtype.h"

namespace indexfuzz {

/// A dtype all of whose values both dtypes hold exactly: one of the two, if possible. For a real
/// and a complex dtype it is real.
Dtype common_values(Dtype a, Dtype b);

/// Whether all implementations round to `dtype` in the same way: true for floating-point (and
/// complex) dtypes, except those of 8 bits, for which some saturate.
bool rounds_in_one_way(Dtype dtype);

/// Whether `from` holds the numbers that divide the interval between two neighbours of `to` into
/// quarters. They need two bits more than `to` has, so that a kernel that converts them by way of a
/// dtype between the two rounds them once.
bool holds_between(Dtype from, Dtype to);

/// Whether the conversion changes numbers in a way that everybody shares: fractions are dropped, or
/// negative integers wrap, as in C++.
bool alters_numbers(Dtype from, Dtype to);

/// Converts `count` dense elements, which must be within the range of `to`. Floating point rounds
/// to nearest, ties to even; conversion to an integer truncates, as in C++. Zeros keep their sign
/// and NaN stays NaN. Any number but 0 becomes true. A complex number becomes its real part; a real
/// one gets the imaginary part 0.
void convert(Dtype from, const std::byte* source, Dtype to, std::byte* destination,
             std::int64_t count);

}  // namespace indexfuzz
