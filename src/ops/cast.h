#pragma once
// Conversions between dtypes, for values that both hold exactly or that round in one way: what a
// call converts is drawn so that nothing is left to anybody's taste.

#include <cstddef>
#include <cstdint>

#include "case/dtype.h"

namespace indexfuzz {

/// A dtype all of whose values both dtypes hold exactly; where one of the two is such, that one.
/// A real and a complex dtype meet in a real one.
Dtype common_values(Dtype a, Dtype b);

/// Whether what is rounded to `dtype` is the same number whoever rounds it: floating point of more
/// than 8 bits. Of those that compute with narrower ones some saturate.
bool rounds_in_one_way(Dtype dtype);

/// Whether `from` holds what lies between two neighbours of `to` in quarters of their distance. All
/// of that has two bits more than `to`, so that a kernel that converts it by way of a dtype between
/// the two rounds it once.
bool holds_between(Dtype from, Dtype to);

/// Converts dense elements within the range of `to`: to the nearest number, of two the even one, or
/// to an integer by cutting the fraction off, as in C++. Zeros keep their sign, NaN stays NaN. What
/// is not 0 is true. A complex number becomes its real part, a real one gets no imaginary part.
void convert(Dtype from, const std::byte* source, Dtype to, std::byte* destination,
             std::int64_t count);

}  // namespace indexfuzz
