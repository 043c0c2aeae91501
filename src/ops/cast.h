#pragma once
// Conversions between dtypes, for values that both hold exactly: what a call converts is drawn so
// that no rounding or wrapping is left to anybody's taste.

#include <cstddef>
#include <cstdint>

#include "case/dtype.h"

namespace indexfuzz {

/// A dtype all of whose values both dtypes hold exactly; where one of the two is such, that one.
/// A real and a complex dtype meet in a real one.
Dtype common_values(Dtype a, Dtype b);

/// Converts dense elements that `to` holds exactly, or would but for a fraction, which is cut off,
/// as in C++: numbers keep their value, zeros their sign, NaN stays NaN. What is not 0 is true. A
/// complex number becomes its real part, a real one gets no imaginary part.
void cast_exactly(Dtype from, const std::byte* source, Dtype to, std::byte* destination,
                  std::int64_t count);

}  // namespace indexfuzz
