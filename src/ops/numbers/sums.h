#pragma once
// Sums of elements and of their products, as the oracles compute them: each sum is rounded to the
// nearest number of the dtype, integers wrap, bools are or'ed. A complex element is two sums.

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "case/number.h"
#include "ops/definition/operator.h"

namespace indexfuzz {

/// Real numbers that C++ adds natively.
template <typename T>
struct NativeFormat {
  using Bits = T;
  /// uint64 for integers of every width: the low bits of a wrapped sum are the same.
  using Number = std::conditional_t<std::is_integral_v<T>, std::uint64_t, T>;
  static Number read(T bits) { return bits; }
  static T write(Number number) { return static_cast<T>(number); }
  static T sum(T a, T b) { return static_cast<T>(a + b); }
};

/// Floating-point formats narrower than float. A float holds their numbers exactly, and what is
/// rounded here: sums and products of few bits.
template <typename T, int kExponent, int kMantissa, bool kFnuz = false>
struct SmallFormat {
  using Bits = T;
  using Number = float;
  static Number read(T bits) { return exact_value<kExponent, kMantissa, kFnuz>(bits); }
  static T write(Number number) {
    return static_cast<T>(bits_nearest_to<kExponent, kMantissa, kFnuz>(number));
  }
  static T sum(T a, T b) {
    // Operands of 8 bits hold neither infinities nor NaN.
    if constexpr (sizeof(T) > 1) {
      constexpr T kOnes = ((1u << kExponent) - 1) << kMantissa;
      const bool a_is_number = (a & kOnes) != kOnes, b_is_number = (b & kOnes) != kOnes;
      if (!a_is_number && !b_is_number && a != b) return kOnes | T(1) << (kMantissa - 1);
      if (!a_is_number || !b_is_number) return a_is_number ? b : a;
    }
    return write(read(a) + read(b));
  }
};

struct BoolFormat {
  using Bits = std::uint8_t;
  using Number = std::uint8_t;
  static Number read(Bits bits) { return bits; }
  static Bits write(Number number) { return number != 0 ? 1 : 0; }
  static Bits sum(Bits a, Bits b) { return a | b; }
};

/// An element of one real number or, if complex, of two.
template <typename Format, int kParts>
struct Addend {
  typename Format::Bits parts[kParts];

  void add(const Addend& other) {
    for (int i = 0; i < kParts; ++i) parts[i] = Format::sum(parts[i], other.parts[i]);
  }
  /// Adds a product that is exact or wraps.
  void add_product(const Addend& other, const Addend& factor) {
    if constexpr (kParts == 1) {
      parts[0] = Format::write(Format::read(parts[0]) +
                               Format::read(other.parts[0]) * Format::read(factor.parts[0]));
    } else {
      const auto re = Format::read(other.parts[0]), im = Format::read(other.parts[1]);
      const auto factor_re = Format::read(factor.parts[0]);
      const auto factor_im = Format::read(factor.parts[1]);
      parts[0] = Format::write(Format::read(parts[0]) + (re * factor_re - im * factor_im));
      parts[1] = Format::write(Format::read(parts[1]) + (re * factor_im + im * factor_re));
    }
  }
};

/// Calls f(to, from) with both as addends of the dtype.
template <typename F>
void as_addends(Dtype dtype, std::byte* to, const std::byte* from, F&& f) {
  const auto as = [&]<typename Format, int kParts = 1>(Format,
                                                       std::integral_constant<int, kParts>) {
    using Element = Addend<Format, kParts>;
    f(reinterpret_cast<Element*>(to), reinterpret_cast<const Element*>(from));
  };
  constexpr std::integral_constant<int, 1> kReal;
  constexpr std::integral_constant<int, 2> kComplex;
  using Half = SmallFormat<std::uint16_t, 5, 10>;
  switch (dtype) {
    case Dtype::kBool: return as(BoolFormat{}, kReal);
    case Dtype::kUInt8:
    case Dtype::kInt8: return as(NativeFormat<std::uint8_t>{}, kReal);
    case Dtype::kInt16:
    case Dtype::kUInt16: return as(NativeFormat<std::uint16_t>{}, kReal);
    case Dtype::kInt32:
    case Dtype::kUInt32: return as(NativeFormat<std::uint32_t>{}, kReal);
    case Dtype::kInt64:
    case Dtype::kUInt64: return as(NativeFormat<std::uint64_t>{}, kReal);
    case Dtype::kFloat: return as(NativeFormat<float>{}, kReal);
    case Dtype::kDouble: return as(NativeFormat<double>{}, kReal);
    case Dtype::kComplexFloat: return as(NativeFormat<float>{}, kComplex);
    case Dtype::kComplexDouble: return as(NativeFormat<double>{}, kComplex);
    case Dtype::kHalf: return as(Half{}, kReal);
    case Dtype::kComplexHalf: return as(Half{}, kComplex);
    case Dtype::kBFloat16: return as(SmallFormat<std::uint16_t, 8, 7>{}, kReal);
    case Dtype::kFloat8E4M3FN: return as(SmallFormat<std::uint8_t, 4, 3>{}, kReal);
    case Dtype::kFloat8E5M2: return as(SmallFormat<std::uint8_t, 5, 2>{}, kReal);
    case Dtype::kFloat8E4M3FNUZ: return as(SmallFormat<std::uint8_t, 4, 3, true>{}, kReal);
    case Dtype::kFloat8E5M2FNUZ: return as(SmallFormat<std::uint8_t, 5, 2, true>{}, kReal);
  }
}

}  // namespace indexfuzz
