#pragma once
// Numbers of every dtype as the oracle reads and writes them, without torch.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "case/dtype.h"

namespace indexfuzz {

/// A value from its bytes, at any address.
template <typename T>
T load(const std::byte* source) {
  T value;
  std::memcpy(&value, source, sizeof value);
  return value;
}

/// The value of one real number (for complex dtypes, of the first component). Exact except for
/// 64-bit integers above 2^53.
double to_double(Dtype real, const std::byte* source);

/// Writes an integer that the dtype represents exactly. float and double also take others, rounded
/// to nearest.
void write_exact(Dtype real, std::int64_t value, std::byte* destination);

/// Whether two elements are the same: the same bits, or NaN in the same components.
bool same_number(Dtype dtype, const std::byte* a, const std::byte* b);

/// Whether both are finite floating-point numbers other than 0 with no third one between them:
/// their bits, as integers, differ by one. False for dtypes of other families.
bool are_neighbours(Dtype dtype, const std::byte* a, const std::byte* b);

/// A cheap, well mixed hash; frozen, since fills named `…1` are defined by it.
constexpr std::uint64_t hash1(std::uint64_t index, std::uint64_t seed) {
  std::uint64_t h =
      (index + 1) * 0x9E3779B97F4A7C15ull ^ (seed + 0x632BE59BD9B4E019ull) * 0xD1B54A32D192ED03ull;
  h ^= h >> 32;
  h *= 0xD6E8FEB86659FD93ull;
  return h ^ (h >> 29);
}

/// A binary floating-point format with `exponent` and `mantissa` bits.
struct FloatFormat {
  std::int8_t exponent;
  std::int8_t mantissa;
  bool fnuz = false;  ///< is_fnuz(): the bias is one more
  constexpr int bias() const { return (1 << (exponent - 1)) - (fnuz ? 0 : 1); }
};
constexpr FloatFormat float_format(Dtype floating) {
  switch (floating) {
    case Dtype::kHalf: return {5, 10};
    case Dtype::kBFloat16: return {8, 7};
    case Dtype::kFloat8E4M3FN: return {4, 3};
    case Dtype::kFloat8E5M2: return {5, 2};
    case Dtype::kFloat8E4M3FNUZ: return {4, 3, true};
    case Dtype::kFloat8E5M2FNUZ: return {5, 2, true};
    case Dtype::kFloat: return {8, 23};
    default: return {11, 52};
  }
}

/// 2^exponent, which must be a normal double: exponent -1022 to 1023.
constexpr double power_of_two(int exponent) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
}

/// The bits of the number nearest to `number`, ties to even, in a format narrower than float. They
/// are float's, with the exponent rebiased by a multiplication and the mantissa's tail rounded off.
/// The format's range must include the number.
template <int kExponent, int kMantissa, bool kFnuz = false>
constexpr std::uint32_t bits_nearest_to(float number) {
  constexpr int kRebias = 127 - FloatFormat{kExponent, kMantissa, kFnuz}.bias();
  constexpr float kScale = std::bit_cast<float>(std::uint32_t{127 - kRebias} << 23);
  const std::uint32_t bits =
      std::bit_cast<std::uint32_t>(kExponent == 8 ? number : number * kScale);
  constexpr int kTail = 23 - kMantissa;
  const std::uint32_t magnitude = bits & 0x7FFFFFFFu;
  const std::uint32_t below_half = (1u << (kTail - 1)) - 1 + (magnitude >> kTail & 1);
  return (bits >> 31) << (kExponent + kMantissa) | (magnitude + below_half) >> kTail;
}
/// The same of an integer that a float holds exactly.
template <int kExponent, int kMantissa, bool kFnuz = false>
constexpr std::uint32_t nearest_bits(std::int64_t value) {
  return bits_nearest_to<kExponent, kMantissa, kFnuz>(static_cast<float>(value));
}
/// The inverse of bits_nearest_to(): the finite number that the bits stand for.
template <int kExponent, int kMantissa, bool kFnuz = false>
constexpr float exact_value(std::uint32_t bits) {
  constexpr int kRebias = 127 - FloatFormat{kExponent, kMantissa, kFnuz}.bias();
  constexpr float kScale = std::bit_cast<float>(std::uint32_t{127 + kRebias} << 23);
  constexpr std::uint32_t kMagnitude = (1u << (kExponent + kMantissa)) - 1;
  const float number = std::bit_cast<float>((bits & kMagnitude) << (23 - kMantissa));
  const float magnitude = kExponent == 8 ? number : number * kScale;
  return (bits & ~kMagnitude) != 0 ? -magnitude : magnitude;
}

}  // namespace indexfuzz
