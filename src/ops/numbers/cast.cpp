#include "ops/numbers/cast.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "case/number.h"

namespace indexfuzz {
namespace {

/// The widest integer dtype, signed or not, whose values need at most `bits` bits besides the sign;
/// bool if there is none.
Dtype integer_of(bool is_signed, int bits) {
  constexpr Dtype kSigned[] = {Dtype::kInt64, Dtype::kInt32, Dtype::kInt16, Dtype::kInt8};
  constexpr Dtype kUnsigned[] = {Dtype::kUInt64, Dtype::kUInt32, Dtype::kUInt16, Dtype::kUInt8};
  for (const Dtype dtype : is_signed ? kSigned : kUnsigned) {
    if (info(dtype).exact_bits <= bits) return dtype;
  }
  return Dtype::kBool;
}

/// The narrower of two floating-point formats: the other holds all its numbers. bool if neither is,
/// as with half and bfloat16.
Dtype narrower(Dtype a, Dtype b) {
  const FloatFormat fa = float_format(a), fb = float_format(b);
  // A fnuz format's bias is one more, which shifts its range: of two formats of equal size with and
  // without it, neither holds the other.
  if (fa.fnuz != fb.fnuz && fa.exponent + fa.mantissa == fb.exponent + fb.mantissa)
    return Dtype::kBool;
  if (fa.exponent <= fb.exponent && fa.mantissa <= fb.mantissa) return a;
  if (fb.exponent <= fa.exponent && fb.mantissa <= fa.mantissa) return b;
  return Dtype::kBool;  // what all formats share
}

/// Up to kMost numbers on their way from one dtype to another: exact, integers in 64 bits.
struct Numbers {
  static constexpr std::int64_t kMost = 64;
  enum class Kind { kSigned, kUnsigned, kReal } kind = Kind::kSigned;
  union {
    std::int64_t integers[kMost];
    double reals[kMost];
  };
};

template <typename T>
void read_integers(const std::byte* source, std::int64_t step, std::int64_t count, Numbers& to) {
  to.kind = std::is_signed_v<T> ? Numbers::Kind::kSigned : Numbers::Kind::kUnsigned;
  for (std::int64_t i = 0; i < count; ++i, source += step)
    to.integers[i] = static_cast<std::int64_t>(load<T>(source));
}

/// Reads real numbers that lie `step` bytes apart.
void read(Dtype real, const std::byte* source, std::int64_t step, std::int64_t count, Numbers& to) {
  switch (real) {
    case Dtype::kBool:
    case Dtype::kUInt8: return read_integers<std::uint8_t>(source, step, count, to);
    case Dtype::kInt8: return read_integers<std::int8_t>(source, step, count, to);
    case Dtype::kInt16: return read_integers<std::int16_t>(source, step, count, to);
    case Dtype::kUInt16: return read_integers<std::uint16_t>(source, step, count, to);
    case Dtype::kInt32: return read_integers<std::int32_t>(source, step, count, to);
    case Dtype::kUInt32: return read_integers<std::uint32_t>(source, step, count, to);
    case Dtype::kInt64: return read_integers<std::int64_t>(source, step, count, to);
    case Dtype::kUInt64: return read_integers<std::uint64_t>(source, step, count, to);
    default: break;
  }
  to.kind = Numbers::Kind::kReal;
  for (std::int64_t i = 0; i < count; ++i, source += step) to.reals[i] = to_double(real, source);
}

/// The bits of the number nearest to a double in the format of `real`; NaN becomes a quiet one.
std::uint64_t float_bits(Dtype real, double value) {
  const FloatFormat format = float_format(real);
  const std::uint64_t sign = std::uint64_t{std::signbit(value)}
                             << (format.exponent + format.mantissa);
  const std::uint64_t ones = ((1ull << format.exponent) - 1) << format.mantissa;
  if (format.fnuz && (std::isnan(value) || value == 0)) return std::isnan(value) ? 0x80 : 0;
  if (std::isnan(value)) {
    const std::uint64_t all = (1ull << format.mantissa) - 1;
    const bool only_one_nan = real == Dtype::kFloat8E4M3FN;
    return sign | ones | (only_one_nan ? all : 1ull << (format.mantissa - 1));
  }
  if (std::isinf(value)) return sign | ones;
  if (value == 0) return sign;
  // Counts in steps of the format at this exponent; subnormals have the steps of the lowest
  // exponent. A mantissa that is rounded up to the next power of two carries into the exponent.
  const double magnitude = std::fabs(value);
  const int exponent = static_cast<int>(std::bit_cast<std::uint64_t>(magnitude) >> 52) - 1023;
  const int biased = std::max(exponent + format.bias(), 1);
  const double in_steps = magnitude * power_of_two(format.bias() + format.mantissa - biased);
  // Doubles from here on are whole numbers: adding and subtracting it rounds to one.
  constexpr double kWhole = power_of_two(52);
  const auto steps = static_cast<std::uint64_t>(in_steps + kWhole - kWhole);
  const std::uint64_t bits = (static_cast<std::uint64_t>(biased - 1) << format.mantissa) + steps;
  // A number that is out of range becomes infinity, if the format has one.
  const bool has_infinity = !format.fnuz && real != Dtype::kFloat8E4M3FN;
  return sign | (has_infinity ? std::min(bits, ones) : bits);
}

/// Calls f(i, number) for each number, as int64, uint64 or double.
template <typename F>
void for_each_number(const Numbers& numbers, std::int64_t count, F&& f) {
  switch (numbers.kind) {
    case Numbers::Kind::kSigned:
      for (std::int64_t i = 0; i < count; ++i) f(i, numbers.integers[i]);
      return;
    case Numbers::Kind::kUnsigned:
      for (std::int64_t i = 0; i < count; ++i)
        f(i, static_cast<std::uint64_t>(numbers.integers[i]));
      return;
    case Numbers::Kind::kReal:
      for (std::int64_t i = 0; i < count; ++i) f(i, numbers.reals[i]);
      return;
  }
}

/// The low bytes of an integer, whatever its sign, or of a real number without its fraction.
template <typename T>
T integer_from(auto number) {
  // Other numbers go through uint64, whose upper half int64 does not hold.
  if (std::is_floating_point_v<decltype(number)> && number < 0)
    return static_cast<T>(static_cast<std::int64_t>(number));
  return static_cast<T>(static_cast<std::uint64_t>(number));
}

void write(Dtype real, const Numbers& numbers, std::int64_t count, std::byte* destination,
           std::int64_t step) {
  const auto store = [&]<typename T>(T, auto&& convert_one) {
    for_each_number(numbers, count, [&](std::int64_t i, auto number) {
      const T value = convert_one(number);
      std::memcpy(destination + i * step, &value, sizeof value);
    });
  };
  const auto store_integers = [&]<typename T>(T type) {
    store(type, [](auto number) { return integer_from<T>(number); });
  };
  switch (real) {
    case Dtype::kBool:
      return store(std::uint8_t{}, [](auto number) -> std::uint8_t { return number != 0; });
    case Dtype::kUInt8:
    case Dtype::kInt8: return store_integers(std::uint8_t{});
    case Dtype::kInt16:
    case Dtype::kUInt16: return store_integers(std::uint16_t{});
    case Dtype::kInt32:
    case Dtype::kUInt32: return store_integers(std::uint32_t{});
    case Dtype::kInt64:
    case Dtype::kUInt64: return store_integers(std::uint64_t{});
    case Dtype::kFloat:
      return store(float{}, [](auto number) { return static_cast<float>(number); });
    case Dtype::kDouble:
      return store(double{}, [](auto number) { return static_cast<double>(number); });
    default: break;
  }
  const auto bits_of = [real](auto number) {
    return float_bits(real, static_cast<double>(number));
  };
  if (item_size(real) == 1)
    store(std::uint8_t{}, [&](auto number) { return static_cast<std::uint8_t>(bits_of(number)); });
  else
    store(std::uint16_t{},
          [&](auto number) { return static_cast<std::uint16_t>(bits_of(number)); });
}

}  // namespace

Dtype common_values(Dtype a, Dtype b) {
  if (a == b) return a;
  const DtypeFamily fa = info(a).family, fb = info(b).family;
  if (is_complex(a) && is_complex(b)) return item_size(a) < item_size(b) ? a : b;
  if (is_complex(a)) return common_values(component(a), b);
  if (is_complex(b)) return common_values(a, component(b));
  if (fa == DtypeFamily::kBool || fb == DtypeFamily::kBool) return Dtype::kBool;
  if (fa == DtypeFamily::kFloating && fb == DtypeFamily::kFloating) return narrower(a, b);
  // At least one is an integer dtype: an integer of as many bits as both hold, signed if both are.
  const bool is_signed = info(a).is_signed && info(b).is_signed;
  return integer_of(is_signed, std::min(info(a).exact_bits, info(b).exact_bits));
}

bool rounds_in_one_way(Dtype dtype) {
  constexpr int kBitsOfAByteAtMost = 4;
  return is_floating_or_complex(dtype) && info(dtype).exact_bits > kBitsOfAByteAtMost;
}

bool holds_between(Dtype from, Dtype to) {
  constexpr int kQuarters = 2;
  return rounds_in_one_way(to) && info(from).exact_bits >= info(to).exact_bits + kQuarters;
}

bool alters_numbers(Dtype from, Dtype to) {
  // Formats of fewer bits hold few numbers with fractions.
  constexpr int kBitsForFractions = 8;
  if (info(to).family != DtypeFamily::kInteger) return false;
  if (info(from).family == DtypeFamily::kFloating)
    return info(from).exact_bits >= kBitsForFractions;
  return info(from).family == DtypeFamily::kInteger && info(from).is_signed && !info(to).is_signed;
}

void convert(Dtype from, const std::byte* source, Dtype to, std::byte* destination,
             std::int64_t count) {
  const auto from_size = static_cast<std::int64_t>(item_size(from));
  const auto to_size = static_cast<std::int64_t>(item_size(to));
  if (from == to) {
    std::memcpy(destination, source, static_cast<std::size_t>(count * to_size));
    return;
  }
  const Dtype real_from = component(from), real_to = component(to);
  const auto part_from = static_cast<std::int64_t>(item_size(real_from));
  const auto part_to = static_cast<std::int64_t>(item_size(real_to));
  Numbers numbers;
  while (count > 0) {
    const std::int64_t now = std::min(count, Numbers::kMost);
    read(real_from, source, from_size, now, numbers);
    write(real_to, numbers, now, destination, to_size);
    if (part_to < to_size) {
      if (part_from < from_size) {
        read(real_from, source + part_from, from_size, now, numbers);
      } else {
        numbers.kind = Numbers::Kind::kSigned;
        std::fill_n(numbers.integers, now, 0);
      }
      write(real_to, numbers, now, destination + part_to, to_size);
    }
    source += now * from_size;
    destination += now * to_size;
    count -= now;
  }
}

}  // namespace indexfuzz
