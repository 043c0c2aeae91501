#include "case/number.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace indexfuzz {
namespace {

template <typename T>
void store(std::byte* destination, T value) {
  std::memcpy(destination, &value, sizeof value);
}

/// `has_infinity` is false for float8_e4m3fn, whose highest exponent holds numbers and one NaN, and
/// for the fnuz formats, whose only NaN has the bits of a negative zero.
double from_bits(FloatFormat format, std::uint64_t bits, bool has_infinity) {
  const std::uint64_t mantissa_mask = (1ull << format.mantissa) - 1;
  const std::uint64_t exponent_mask = (1ull << format.exponent) - 1;
  const bool negative = (bits >> (format.exponent + format.mantissa)) & 1;
  const std::uint64_t exponent = (bits >> format.mantissa) & exponent_mask;
  const std::uint64_t mantissa = bits & mantissa_mask;
  double value;
  if (format.fnuz && negative && exponent == 0 && mantissa == 0) {
    value = std::numeric_limits<double>::quiet_NaN();
  } else if (exponent == exponent_mask && has_infinity) {
    value = mantissa != 0 ? std::numeric_limits<double>::quiet_NaN()
                          : std::numeric_limits<double>::infinity();
  } else if (exponent == exponent_mask && mantissa == mantissa_mask && !format.fnuz) {
    value = std::numeric_limits<double>::quiet_NaN();
  } else if (exponent == 0) {
    value = static_cast<double>(mantissa) * power_of_two(1 - format.bias() - format.mantissa);
  } else {
    value = static_cast<double>(mantissa | (1ull << format.mantissa)) *
            power_of_two(static_cast<int>(exponent) - format.bias() - format.mantissa);
  }
  return negative ? -value : value;
}

}  // namespace

double to_double(Dtype real, const std::byte* source) {
  switch (real) {
    case Dtype::kBool:
    case Dtype::kUInt8: return load<std::uint8_t>(source);
    case Dtype::kInt8: return load<std::int8_t>(source);
    case Dtype::kInt16: return load<std::int16_t>(source);
    case Dtype::kInt32: return load<std::int32_t>(source);
    case Dtype::kInt64: return static_cast<double>(load<std::int64_t>(source));
    case Dtype::kUInt16: return load<std::uint16_t>(source);
    case Dtype::kUInt32: return load<std::uint32_t>(source);
    case Dtype::kUInt64: return static_cast<double>(load<std::uint64_t>(source));
    case Dtype::kFloat: return load<float>(source);
    case Dtype::kDouble: return load<double>(source);
    case Dtype::kHalf:
    case Dtype::kBFloat16: return from_bits(float_format(real), load<std::uint16_t>(source), true);
    case Dtype::kFloat8E4M3FN:
    case Dtype::kFloat8E4M3FNUZ:
    case Dtype::kFloat8E5M2FNUZ:
      return from_bits(float_format(real), load<std::uint8_t>(source), false);
    case Dtype::kFloat8E5M2: return from_bits(float_format(real), load<std::uint8_t>(source), true);
    case Dtype::kComplexHalf:
    case Dtype::kComplexFloat:
    case Dtype::kComplexDouble: return to_double(component(real), source);
  }
  return 0;
}

void write_exact(Dtype real, std::int64_t value, std::byte* destination) {
  switch (real) {
    case Dtype::kBool: return store<std::uint8_t>(destination, value != 0);
    case Dtype::kUInt8:
    case Dtype::kInt8: return store(destination, static_cast<std::int8_t>(value));
    case Dtype::kInt16:
    case Dtype::kUInt16: return store(destination, static_cast<std::int16_t>(value));
    case Dtype::kInt32:
    case Dtype::kUInt32: return store(destination, static_cast<std::int32_t>(value));
    case Dtype::kInt64:
    case Dtype::kUInt64: return store(destination, value);
    case Dtype::kFloat: return store(destination, static_cast<float>(value));
    case Dtype::kDouble: return store(destination, static_cast<double>(value));
    case Dtype::kHalf:
      return store(destination, static_cast<std::uint16_t>(nearest_bits<5, 10>(value)));
    case Dtype::kBFloat16:
      return store(destination, static_cast<std::uint16_t>(nearest_bits<8, 7>(value)));
    case Dtype::kFloat8E4M3FN:
      return store(destination, static_cast<std::uint8_t>(nearest_bits<4, 3>(value)));
    case Dtype::kFloat8E5M2:
      return store(destination, static_cast<std::uint8_t>(nearest_bits<5, 2>(value)));
    case Dtype::kFloat8E4M3FNUZ:
      return store(destination, static_cast<std::uint8_t>(nearest_bits<4, 3, true>(value)));
    case Dtype::kFloat8E5M2FNUZ:
      return store(destination, static_cast<std::uint8_t>(nearest_bits<5, 2, true>(value)));
    case Dtype::kComplexHalf:
    case Dtype::kComplexFloat:
    case Dtype::kComplexDouble: return write_exact(component(real), value, destination);
  }
}

bool same_number(Dtype dtype, const std::byte* a, const std::byte* b) {
  if (std::memcmp(a, b, item_size(dtype)) == 0) return true;
  if (!is_floating_or_complex(dtype)) return false;
  const Dtype real = component(dtype);
  const std::size_t size = item_size(real);
  for (std::size_t at = 0; at < item_size(dtype); at += size) {
    if (std::memcmp(a + at, b + at, size) == 0) continue;
    if (!std::isnan(to_double(real, a + at)) || !std::isnan(to_double(real, b + at))) return false;
  }
  return true;
}

bool are_neighbours(Dtype dtype, const std::byte* a, const std::byte* b) {
  if (info(dtype).family != DtypeFamily::kFloating) return false;
  const double x = to_double(dtype, a), y = to_double(dtype, b);
  if (!std::isfinite(x) || !std::isfinite(y) || x == 0 || y == 0) return false;
  std::uint64_t i = 0, j = 0;
  std::memcpy(&i, a, item_size(dtype));
  std::memcpy(&j, b, item_size(dtype));
  return i - j == 1 || j - i == 1;
}

}  // namespace indexfuzz
