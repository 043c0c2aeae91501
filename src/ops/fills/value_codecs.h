#pragma once
// Codecs of the value fills: how an integer or a hash becomes one real number of a dtype. Frozen
// with the fills.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <type_traits>

#include "case/number.h"

namespace indexfuzz {

template <typename T>
struct IntegerCodec {
  using Bits = T;
  static T exact(std::int64_t value) { return static_cast<T>(value); }
  static T hashed(std::uint64_t h) { return static_cast<T>(h); }
  static T scaled(std::int64_t value) { return exact(value); }
  static T tiny(std::int64_t value) { return exact(value); }
  static T tiny_of_16_bits(std::int64_t value) { return exact(value); }
  static T huge(std::int64_t value) { return exact(value); }
  static T factor(std::uint64_t pick) {
    const T list[] = {T(2), T(-2), T(3), T(-3)};
    return list[pick % std::size(list)];
  }
  static T long_factor(std::uint64_t pick) { return factor(pick); }
  static T beyond_numbers(std::uint64_t, bool) { return T(0); }
  static T beyond_products(std::uint64_t) { return T(1); }
  static T special_number(std::uint64_t pick) { return special(pick); }
  static T special(std::uint64_t pick) {
    constexpr T lowest = std::numeric_limits<T>::min(), highest = std::numeric_limits<T>::max();
    const T list[] = {
        lowest, highest, T(0), T(-1), T(1), T(highest / 2 + 1), T((1ull << 53) + 1), T(1ull << 31)};
    return list[pick % std::size(list)];
  }
  static T quarters(std::int64_t value) { return exact(value); }
  /// Special numbers, from the lowest to the highest.
  static constexpr std::size_t kSpecialPlaces = 14;
  static T special_at(std::size_t place, std::uint64_t) {
    constexpr T lowest = std::numeric_limits<T>::min(), highest = std::numeric_limits<T>::max();
    // Powers of two around which a narrower dtype, or a double, ends.
    constexpr T large = T(sizeof(T) == 8 ? (1ull << 53) + 1 : highest / 2 + 1);
    constexpr T middle = T(sizeof(T) == 8 ? 1ull << 31 : 1ull << (4 * sizeof(T) - 1));
    if constexpr (std::is_signed_v<T>) {
      constexpr T list[] = {lowest,       T(lowest + 1), T(-large),      T(-middle - 1), T(-middle),
                            T(-1),        T(0),          T(1),           T(middle - 1),  middle,
                            T(large - 1), large,         T(highest - 1), highest};
      static_assert(std::size(list) == kSpecialPlaces);
      return list[place];
    } else {
      constexpr T list[] = {T(0),           T(1),         T(2),          T(middle - 2),
                            T(middle - 1),  middle,       T(middle + 1), T(2 * middle - 1),
                            T(2 * middle),  T(large - 1), large,         T(large + 1),
                            T(highest - 1), highest};
      static_assert(std::size(list) == kSpecialPlaces);
      return list[place];
    }
  }
  /// The next number above or below, if there is one.
  static T next(T number, bool above) {
    const T end = above ? std::numeric_limits<T>::max() : std::numeric_limits<T>::min();
    return number == end ? number : static_cast<T>(above ? number + 1 : number - 1);
  }
};
struct BoolCodec {
  using Bits = std::uint8_t;
  static Bits exact(std::int64_t value) { return value != 0; }
  static Bits hashed(std::uint64_t h) { return h & 1; }
  static Bits scaled(std::int64_t value) { return exact(value); }
  static Bits tiny(std::int64_t value) { return exact(value); }
  static Bits tiny_of_16_bits(std::int64_t value) { return exact(value); }
  static Bits huge(std::int64_t value) { return exact(value); }
  static Bits factor(std::uint64_t) { return 1; }
  static Bits long_factor(std::uint64_t) { return 1; }
  static Bits beyond_numbers(std::uint64_t, bool) { return 0; }
  static Bits beyond_products(std::uint64_t) { return 1; }
  static Bits special_number(std::uint64_t pick) { return special(pick); }
  static Bits special(std::uint64_t pick) { return pick & 1; }
  static Bits quarters(std::int64_t value) { return exact(value); }
  static constexpr std::size_t kSpecialPlaces = 2;
  static Bits special_at(std::size_t place, std::uint64_t) { return place != 0; }
  static Bits next(Bits, bool above) { return above; }
};
template <typename T, int kExponent, int kMantissa>
struct FloatCodec {
  using Bits = T;
  static constexpr int kBias = FloatFormat{kExponent, kMantissa}.bias();
  static constexpr T kExponentMask = static_cast<T>(((T(1) << kExponent) - 1) << kMantissa);
  static T exact(std::int64_t value) {
    if constexpr (sizeof(T) == 4)
      return std::bit_cast<T>(static_cast<float>(value));
    else if constexpr (sizeof(T) == 8)
      return std::bit_cast<T>(static_cast<double>(value));
    else
      return static_cast<T>(nearest_bits<kExponent, kMantissa>(value));
  }
  /// The number times a constant, exactly: one of 30 bits in double, of 3 bits in float; elsewhere
  /// the number itself.
  static T scaled(std::int64_t value) {
    constexpr double kScale = sizeof(T) == 8 ? 536'870'913.0 / 512 : 1.25;
    return sizeof(T) < 4 ? exact(value) : product(value, kScale);
  }
  /// The number times four times the smallest subnormal, exactly, in float and double; elsewhere
  /// the number itself.
  static T tiny(std::int64_t value) {
    return sizeof(T) < 4 ? exact(value) : product(value, kFourOfTheSmallest);
  }
  /// The same in formats of 16 bits; elsewhere the number itself.
  static T tiny_of_16_bits(std::int64_t value) {
    return sizeof(T) != 2 ? exact(value) : product(value, kFourOfTheSmallest);
  }
  /// The number times a power of two: below the largest number for numbers that use all bits of the
  /// mantissa, exactly. In formats of 8 bits the number itself.
  static T huge(std::int64_t value) {
    return sizeof(T) == 1 ? exact(value) : product(value, power_of_two(kBias - kMantissa - 1));
  }
  static T factor(std::uint64_t pick) {
    // Twice each factor: the exponent is lowered by one below, which no format is too narrow for.
    const int list[] = {1, -1, 4, -3};
    return static_cast<T>(exact(list[pick % std::size(list)]) - (T(1) << kMantissa));
  }
  /// In double a factor of 30 or 31 bits, whose product with a term of a sum is exact.
  static T long_factor(std::uint64_t pick) {
    if constexpr (sizeof(T) == 8) {
      constexpr double kStep = 1.0 / (1 << 29);
      const double list[] = {1 + kStep, -1 - kStep, 2 - kStep, kStep - 3};
      return std::bit_cast<T>(list[pick % std::size(list)]);
    } else {
      return factor(pick);
    }
  }
  /// NaN, an infinity or, for self only, -0.0: whether a sum of such zeros keeps the sign depends
  /// on the value that an implementation starts from. 1 in formats of 8 bits, not all of which have
  /// infinities.
  static T beyond_numbers(std::uint64_t pick, bool is_self) {
    constexpr std::uint64_t kPlaces[] = {0, 3, 4, 5};
    return sizeof(T) == 1 ? exact(1) : special(kPlaces[pick % (is_self ? 4 : 3)]);
  }
  /// A zero, an infinity or NaN; 1 in formats of 8 bits.
  static T beyond_products(std::uint64_t pick) {
    constexpr std::uint64_t kPlaces[] = {6, 0, 3, 5, 4};
    return sizeof(T) == 1 ? exact(1) : special(kPlaces[pick % std::size(kPlaces)]);
  }
  /// Never infinite or NaN: the lowest bit of an exponent of all ones is cleared (in float8_e4m3fn,
  /// where most such bits are numbers, all the same).
  static T hashed(std::uint64_t h) {
    const T bits = static_cast<T>(h);
    return (bits & kExponentMask) == kExponentMask ? static_cast<T>(bits ^ (T(1) << kMantissa))
                                                   : bits;
  }
  static T special(std::uint64_t pick) {
    constexpr T sign = static_cast<T>(T(1) << (kExponent + kMantissa));
    constexpr T quiet = static_cast<T>(T(1) << (kMantissa - 1));
    constexpr T ones = kExponentMask;
    const T list[] = {T(ones | quiet),
                      T(ones | quiet | 1),
                      T(sign | ones | quiet),
                      ones,
                      T(sign | ones),
                      sign,
                      T(0),
                      T(ones - 1),
                      T(sign | (ones - 1)),
                      T(1),
                      exact(1)};
    return list[pick % std::size(list)];
  }
  /// As special() without its NaN, which are the first three.
  static T special_number(std::uint64_t pick) { return special(3 + pick % 8); }
  /// So many quarters, which are not 0; 1 in formats of 8 bits.
  static T quarters(std::int64_t value) {
    return sizeof(T) == 1 ? exact(1) : static_cast<T>(exact(value) - (T(2) << kMantissa));
  }
  /// Special numbers, from the lowest to the highest; small integers in formats of 8 bits.
  static constexpr std::size_t kSpecialPlaces = 17;
  static T special_at(std::size_t place, std::uint64_t pick) {
    constexpr auto kMiddle = static_cast<std::int64_t>(kSpecialPlaces / 2);
    const std::int64_t from_zero = static_cast<std::int64_t>(place) - kMiddle;
    if constexpr (sizeof(T) == 1) return exact(from_zero / 2);
    // From the smallest subnormal number to infinity.
    const T magnitudes[] = {T(0),
                            T(1),
                            T(T(1) << kMantissa),
                            T(exact(1) - (T(1) << kMantissa)),
                            exact(1),
                            T(exact(3) - (T(1) << kMantissa)),
                            exact(std::int64_t{1} << (kMantissa + 1)),
                            T(kExponentMask - 1),
                            kExponentMask};
    static_assert(std::size(magnitudes) == kMiddle + 1);
    const bool is_negative = from_zero == 0 ? (pick & 1) != 0 : from_zero < 0;
    const T magnitude = magnitudes[static_cast<std::size_t>(is_negative ? -from_zero : from_zero)];
    return is_negative ? static_cast<T>(magnitude | kSign) : magnitude;
  }
  /// The next number above or below, if there is one; in formats of 8 bits the number itself.
  static T next(T number, bool above) {
    if constexpr (sizeof(T) == 1) return number;
    const T magnitude = static_cast<T>(number & ~kSign);
    const bool is_negative = (number & kSign) != 0;
    if (magnitude == 0) return above ? T(1) : static_cast<T>(kSign | 1);
    if (is_negative == above) return static_cast<T>(number - 1);
    return magnitude == kExponentMask ? number : static_cast<T>(number + 1);
  }

 private:
  static constexpr T kSign = static_cast<T>(T(1) << (kExponent + kMantissa));
  /// Four times the smallest subnormal number. Double's own is no normal double.
  static constexpr double kFourOfTheSmallest = sizeof(T) == 8
                                                   ? 4 * std::numeric_limits<double>::denorm_min()
                                                   : power_of_two(3 - kBias - kMantissa);
  /// The number times a scale, which both a float, or for double a double, and the format hold.
  static T product(std::int64_t value, double scale) {
    if constexpr (sizeof(T) == 8) {
      return std::bit_cast<T>(static_cast<double>(value) * scale);
    } else {
      const float number = static_cast<float>(value) * static_cast<float>(scale);
      if constexpr (sizeof(T) == 4) {
        return std::bit_cast<T>(number);
      } else {
        return static_cast<T>(bits_nearest_to<kExponent, kMantissa>(number));
      }
    }
  }
};

template <int kExponent, int kMantissa>
struct FnuzCodec {
  using Bits = std::uint8_t;
  static constexpr Bits kNaN = 0x80;
  static Bits exact(std::int64_t value) {
    return static_cast<Bits>(nearest_bits<kExponent, kMantissa, true>(value));
  }
  static Bits hashed(std::uint64_t h) {
    const Bits bits = static_cast<Bits>(h);
    return bits == kNaN ? 0 : bits;
  }
  static Bits special(std::uint64_t pick) {
    const Bits list[] = {kNaN, 0, 1, kNaN | 1, 0x7F, 0xFF, exact(1)};
    return list[pick % std::size(list)];
  }
  static Bits scaled(std::int64_t value) { return exact(value); }
  static Bits tiny(std::int64_t value) { return exact(value); }
  static Bits tiny_of_16_bits(std::int64_t value) { return exact(value); }
  static Bits huge(std::int64_t value) { return exact(value); }
  static Bits factor(std::uint64_t pick) { return exact((pick & 1) != 0 ? 2 : -1); }
  static Bits long_factor(std::uint64_t pick) { return factor(pick); }
  static Bits beyond_numbers(std::uint64_t, bool) { return exact(1); }
  static Bits beyond_products(std::uint64_t) { return exact(1); }
  static Bits special_number(std::uint64_t pick) { return special(1 + pick % 6); }
  static Bits quarters(std::int64_t) { return exact(1); }
  static constexpr std::size_t kSpecialPlaces = 3;
  static Bits special_at(std::size_t place, std::uint64_t) {
    return exact(static_cast<std::int64_t>(place) - 1);
  }
  static Bits next(Bits number, bool) { return number; }
};

using HalfCodec = FloatCodec<std::uint16_t, 5, 10>;
using SingleCodec = FloatCodec<std::uint32_t, 8, 23>;
using DoubleCodec = FloatCodec<std::uint64_t, 11, 52>;

}  // namespace indexfuzz
