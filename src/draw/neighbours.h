#pragma once
// The cases that differ from a given one only in what templates and dispatch tables are made for:
// dtypes, forms, flags and modes. Kernels have separate code for each; random draws reach only the
// common ones.

#include <cstdint>
#include <span>

#include "case/limits.h"
#include "draw/draw.h"

namespace indexfuzz {

/// Writes neighbour number `n` of a legal case to `out`. First come other dtypes of values, of
/// indices and masks, or of both; then the other forms among `targets`; then all values of each
/// flag and each mode. All are legal; some may equal the case itself or an earlier neighbour. False
/// if `n` is past the last neighbour, or if the case breaks a rule: such a case has no neighbours.
bool neighbour(const Case& c, std::span<const Target> targets, const Limits& limits,
               std::uint32_t n, Case& out);

}  // namespace indexfuzz
