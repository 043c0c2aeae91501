#pragma once
// Numbers of every dtype as the oracle reads and writes them, without torch.

#include <cstddef>
#include <cstdint>

#include "case/dtype.h"

namespace indexfuzz {

/// The value of one real number (a component, for complex dtypes); exact, but for 64-bit integers
/// above 2^53.
double to_double(Dtype real, const std::byte* source);

/// Writes an integer that the dtype represents exactly: |value| ≤ 2^exact_bits, 0 or more if unsigned.
void write_exact(Dtype real, std::int64_t value, std::byte* destination);

/// Whether the number, or either component of a complex one, is NaN.
bool is_nan(Dtype dtype, const std::byte* source);

/// Whether two elements are the same: the same bits, or NaN in the same components.
bool same_number(Dtype dtype, const std::byte* a, const std::byte* b);

/// A cheap, well mixed hash; frozen, since fills named `…1` are defined by it.
constexpr std::uint64_t hash1(std::uint64_t index, std::uint64_t seed) {
  std::uint64_t h = (index + 1) * 0x9E3779B97F4A7C15ull ^ (seed + 0x632BE59BD9B4E019ull) * 0xD1B54A32D192ED03ull;
  h ^= h >> 32;
  h *= 0xD6E8FEB86659FD93ull;
  return h ^ (h >> 29);
}

/// A format of small floating-point numbers with `exponent` and `mantissa` bits.
struct FloatFormat {
  int exponent;
  int mantissa;
  int bias() const { return (1 << (exponent - 1)) - 1; }
};
/// The bits of an integer that the format represents exactly.
std::uint64_t exact_bits_of(FloatFormat format, std::int64_t value);
FloatFormat float_format(Dtype floating);

}  // namespace indexfuzz
