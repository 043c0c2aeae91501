#pragma once
// The choices of a rule, as pseudo-random numbers.

#include <cstdint>

#include "ops/definition/operator.h"

namespace indexfuzz {

/// A pseudo-random number for a rule's choices, from the seeds of the case or of an operand. 0 if
/// these are 0, so that a shrunk case breaks its rule in the plainest way.
std::uint64_t chance_of(const Case& c);
std::uint64_t chance_of(const Operand& operand, std::uint64_t what);

/// An index beyond `value` on the same side: a little further out, the last int32, ±2^32, which is
/// 0 if truncated to 32 bits, or the last number of the dtype. Of 8 bits only below 0.
std::int64_t far_out(std::int64_t value, Dtype dtype, std::uint64_t chance);

}  // namespace indexfuzz
