#pragma once
// Calls that are made beside the one under test, since what kernels keep from one call to the next
// shows only there.

#include <cstdint>

#include "case/case.h"

namespace indexfuzz {

/// The legal case of this form whose operands hold one element, in the plainest way.
Case plainest_case(std::uint16_t op, std::uint8_t overload, Variant variant);

/// The legal base of the case with nothing but zeros in its operands: on a GPU, as those of a busy
/// stream hold before they are written.
Case with_zeros(Case c);
/// A legal case of the same form, dtypes and settings whose operands hold one element, a zero, each
/// where the operator allows it.
Case with_one_element(Case c);

}  // namespace indexfuzz
