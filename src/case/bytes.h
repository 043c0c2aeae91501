#pragma once
// The byte form of a case, for libFuzzer and for shared memory. Every field has a fixed place, so
// that one flipped byte changes one field. Decoding is total: any bytes give a case, which `repair`
// then makes legal.

#include <cstddef>
#include <cstdint>
#include <span>

#include "case/case.h"

namespace indexfuzz {

/// The size of a case as encode() writes it, in version 1 of the form: a header, the operands, and
/// the attributes that the header has no place for.
inline constexpr std::size_t kEncodedBytes = 40 + kMaxOperands * 164 + 16;
/// Writes kEncodedBytes bytes.
void encode(const Case& c, std::byte* destination);
/// As encode(), but leaves out the zeros at the end, which decode() supplies. Returns
/// the number of bytes written, at most kEncodedBytes.
std::size_t encode_short(const Case& c, std::byte* destination);
/// Overwrites the operator's number in an encoded case; does nothing if `bytes` ends before it.
void put_operator(std::uint16_t op, std::span<std::byte> bytes);
/// As put_operator(), for the environment.
void put_environment(const Environment& environment, std::span<std::byte> bytes);
/// Decodes any bytes; missing ones count as 0, surplus ones are ignored. The case is not repaired:
/// only its structure is sound (ranks, enum values, permutations of dimensions).
Case decode(std::span<const std::byte> bytes);

}  // namespace indexfuzz
