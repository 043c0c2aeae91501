#include "ops/cast.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "case/number.h"

namespace indexfuzz {
namespace {

bool is_integral(Dtype dtype) {
  return info(dtype).family == DtypeFamily::kInteger || info(dtype).family == DtypeFamily::kBool;
}

/// The widest integer dtype of one sign whose every value needs at most `bits` bits besides it.
Dtype integer_of(bool is_signed, int bits) {
  constexpr Dtype kSigned[] = {Dtype::kInt64, Dtype::kInt32, Dtype::kInt16, Dtype::kInt8};
  constexpr Dtype kUnsigned[] = {Dtype::kUInt64, Dtype::kUInt32, Dtype::kUInt16, Dtype::kUInt8};
  for (const Dtype dtype : is_signed ? kSigned : kUnsigned) {
    if (info(dtype).exact_bits <= bits) return dtype;
  }
  return Dtype::kBool;
}

/// The narrower of two floating-point formats; formats of which none is, like half and bfloat16,
/// share little.
Dtype narrower(Dtype a, Dtype b) {
  const FloatFormat fa = float_format(a), fb = float_format(b);
  // One more of bias shifts the range, which only a wider exponent makes up for.
  if (fa.fnuz != fb.fnuz && fa.exponent + fa.mantissa == fb.exponent + fb.mantissa)
    return Dtype::kBool;
  if (fa.exponent <= fb.exponent && fa.mantissa <= fb.mantissa) return a;
  if (fb.exponent <= fa.exponent && fb.mantissa <= fa.mantissa) return b;
  return Dtype::kBool;  // what all formats share
}

/// An exact number: an integer of 64 bits where the dtype is one, else a double.
struct Number {
  bool integral = true;
  bool is_unsigned = false;
  std::int64_t integer = 0;
  double real = 0;
};

Number read(Dtype real, const std::byte* source) {
  Number number;
  if (!is_integral(real)) {
    number.integral = false;
    number.real = to_double(real, source);
    return number;
  }
  std::uint64_t bits = 0;
  const std::size_t size = item_size(real);
  std::memcpy(&bits, source, size);
  number.is_unsigned = !info(real).is_signed;
  const int shift = 64 - 8 * static_cast<int>(size);
  number.integer = number.is_unsigned ? static_cast<std::int64_t>(bits)
                                      : static_cast<std::int64_t>(bits << shift) >> shift;
  return number;
}

/// The bits of the number of a format that is nearest to a double; NaN becomes a quiet one.
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
  int exponent = 0;
  const double fraction = std::frexp(std::fabs(value), &exponent);  // in [0.5, 1)
  if (fraction == 0) return sign;
  // In steps of the format there, which are the same below its lowest exponent as at it. A mantissa
  // that is rounded up to the next power of two carries into the exponent.
  const int biased = std::max(exponent - 1 + format.bias(), 1);
  const int step = biased - format.bias() - format.mantissa;
  const auto steps =
      static_cast<std::uint64_t>(std::nearbyint(std::ldexp(fraction, exponent - step)));
  return sign | ((static_cast<std::uint64_t>(biased - 1) << format.mantissa) + steps);
}

/// The number of a type that is nearest to any number.
template <typename Real>
Real nearest(const Number& number) {
  if (!number.integral) return static_cast<Real>(number.real);
  return number.is_unsigned ? static_cast<Real>(static_cast<std::uint64_t>(number.integer))
                            : static_cast<Real>(number.integer);
}

void write(Dtype real, const Number& number, std::byte* destination) {
  std::uint64_t bits = 0;
  if (is_integral(real)) {
    // Half of uint64 lies beyond what int64 holds.
    bits = number.integral   ? static_cast<std::uint64_t>(number.integer)
           : number.real < 0 ? static_cast<std::uint64_t>(static_cast<std::int64_t>(number.real))
                             : static_cast<std::uint64_t>(number.real);
    if (real == Dtype::kBool) bits = number.integral ? number.integer != 0 : number.real != 0;
  } else {
    bits = real == Dtype::kDouble  ? std::bit_cast<std::uint64_t>(nearest<double>(number))
           : real == Dtype::kFloat ? std::bit_cast<std::uint32_t>(nearest<float>(number))
                                   : float_bits(real, nearest<double>(number));
  }
  std::memcpy(destination, &bits, item_size(real));
}

}  // namespace

Dtype common_values(Dtype a, Dtype b) {
  if (a == b) return a;
  const DtypeFamily fa = info(a).family, fb = info(b).family;
  if (fa == DtypeFamily::kComplex && fb == DtypeFamily::kComplex)
    return item_size(a) < item_size(b) ? a : b;
  if (fa == DtypeFamily::kComplex) return common_values(component(a), b);
  if (fb == DtypeFamily::kComplex) return common_values(a, component(b));
  if (fa == DtypeFamily::kBool || fb == DtypeFamily::kBool) return Dtype::kBool;
  if (fa == DtypeFamily::kFloating && fb == DtypeFamily::kFloating) return narrower(a, b);
  // An integer dtype is at least one of them: as many bits as both hold, signed where both are.
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
  for (std::int64_t i = 0; i < count; ++i, source += from_size, destination += to_size) {
    write(real_to, read(real_from, source), destination);
    if (part_to == to_size) continue;
    write(real_to, part_from < from_size ? read(real_from, source + part_from) : Number{},
          destination + part_to);
  }
}

}  // namespace indexfuzz
