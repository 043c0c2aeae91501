#pragma once
// The byte form of a case: for libFuzzer and for shared memory. Fixed places, so that one flipped
// byte changes one field; decoding is total: any bytes give a case, which `repair` then makes
// legal.

#include <cstddef>
#include <cstdint>
#include <span>

#include "case/case.h"

namespace indexfuzz {

/// Version 1 of the form. Every encoded case has this many bytes.
inline constexpr std::size_t kEncodedBytes = 40 + kMaxOperands * 164;
/// Writes kEncodedBytes bytes.
void encode(const Case& c, std::byte* destination);
/// Writes only as many bytes as the case's operands need, kEncodedBytes at most; decode() takes the
/// missing ones for the zeros that they are. Returns how many.
std::size_t encode_short(const Case& c, std::byte* destination);
/// Writes an operator's number in its place, where the bytes reach that far.
void put_operator(std::uint16_t op, std::span<std::byte> bytes);
/// The same for what the case is to run in.
void put_environment(const Environment& environment, std::span<std::byte> bytes);
/// Decodes any bytes, short or long; missing ones count as 0. The case is not repaired: only its
/// structure is sound (ranks, enum values, permutations of dimensions).
Case decode(std::span<const std::byte> bytes);

}  // namespace indexfuzz
