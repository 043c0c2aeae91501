#pragma once
// Calls that are made besides the one under test. Only they reveal what kernels keep from one call
// to the next.

#include <cstdint>

#include "case/case.h"

namespace indexfuzz {

/// The plainest legal case of this form whose operands hold one element each.
Case plainest_case(std::uint16_t op, std::uint8_t overload, Variant variant);

/// The case without its broken rule and with nothing but zeros in its operands: on a GPU, what
/// operands hold on a busy stream before they are written.
Case with_zeros(Case c);
/// A legal case of the same form, dtypes and settings whose operands hold a single zero each, as
/// far as the operator allows.
Case with_one_element(Case c);

}  // namespace indexfuzz
