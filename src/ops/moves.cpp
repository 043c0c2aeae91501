#include "ops/moves.h"

#include <type_traits>

#include "case/number.h"

namespace indexfuzz {
namespace {

template <typename T, int kComponents = 1>
void add(std::byte* destination, const std::byte* source) {
  T a[kComponents], b[kComponents];
  std::memcpy(a, destination, sizeof a);
  std::memcpy(b, source, sizeof b);
  for (int i = 0; i < kComponents; ++i) a[i] = static_cast<T>(a[i] + b[i]);
  std::memcpy(destination, a, sizeof a);
}

/// Adds where one of the two is an infinity or NaN; false where neither is. Formats of 8 bits have
/// no infinity, and their operands never hold NaN.
template <typename Bits, int kExponent, int kMantissa>
bool add_beyond_numbers(Bits& sum, Bits addend) {
  if (sizeof(Bits) == 1) return false;
  constexpr Bits kOnes = ((1u << kExponent) - 1) << kMantissa;
  const bool is_sum = (sum & kOnes) == kOnes, is_addend = (addend & kOnes) == kOnes;
  if (!is_sum && !is_addend) return false;
  if (!is_sum)
    sum = addend;
  else if (is_addend && sum != addend)
    sum = kOnes | Bits(1) << (kMantissa - 1);
  return true;
}

template <typename Bits, int kExponent, int kMantissa, int kComponents = 1, bool kFnuz = false>
void add_small(std::byte* destination, const std::byte* source) {
  Bits a[kComponents], b[kComponents];
  std::memcpy(a, destination, sizeof a);
  std::memcpy(b, source, sizeof b);
  for (int i = 0; i < kComponents; ++i) {
    if (add_beyond_numbers<Bits, kExponent, kMantissa>(a[i], b[i])) continue;
    const std::int64_t sum = exact_value<kExponent, kMantissa, kFnuz>(a[i]) +
                             exact_value<kExponent, kMantissa, kFnuz>(b[i]);
    a[i] = static_cast<Bits>(nearest_bits<kExponent, kMantissa, kFnuz>(sum));
  }
  std::memcpy(destination, a, sizeof a);
}

void add_bool(std::byte* destination, const std::byte* source) {
  *destination |= *source;
}

// How a real number is read for a product and written back.

template <typename T>
struct Native {
  using Bits = T;
  /// Integers of every width wrap alike in the widest.
  using Number = std::conditional_t<std::is_integral_v<T>, std::uint64_t, T>;
  static Number read(T bits) { return bits; }
  static T write(Number number) { return static_cast<T>(number); }
};
template <typename T, int kExponent, int kMantissa, bool kFnuz = false>
struct Small {
  using Bits = T;
  using Number = std::int64_t;
  static Number read(T bits) { return exact_value<kExponent, kMantissa, kFnuz>(bits); }
  static T write(Number number) {
    return static_cast<T>(nearest_bits<kExponent, kMantissa, kFnuz>(number));
  }
};

template <typename Format>
void add_product(std::byte* destination, const std::byte* source, const std::byte* factor) {
  typename Format::Bits a, b, f;
  std::memcpy(&a, destination, sizeof a);
  std::memcpy(&b, source, sizeof b);
  std::memcpy(&f, factor, sizeof f);
  a = Format::write(Format::read(a) + Format::read(b) * Format::read(f));
  std::memcpy(destination, &a, sizeof a);
}

template <typename Format>
void add_complex_product(std::byte* destination, const std::byte* source, const std::byte* factor) {
  typename Format::Bits a[2], b[2], f[2];
  std::memcpy(a, destination, sizeof a);
  std::memcpy(b, source, sizeof b);
  std::memcpy(f, factor, sizeof f);
  const auto re = Format::read(b[0]), im = Format::read(b[1]);
  const auto factor_re = Format::read(f[0]), factor_im = Format::read(f[1]);
  a[0] = Format::write(Format::read(a[0]) + (re * factor_re - im * factor_im));
  a[1] = Format::write(Format::read(a[1]) + (re * factor_im + im * factor_re));
  std::memcpy(destination, a, sizeof a);
}

void add_bool_product(std::byte* destination, const std::byte* source, const std::byte* factor) {
  *destination |= *source & *factor;
}

}  // namespace

void copy_operand(const OracleInput& input, int operand, std::byte* destination) {
  const auto k = static_cast<std::size_t>(operand);
  const auto bytes = static_cast<std::int64_t>(item_size(input.c.operands[k].dtype));
  std::memcpy(destination, input.operands[k].data,
              static_cast<std::size_t>(input.operands[k].count * bytes));
}

AddElement adder(Dtype dtype) {
  switch (dtype) {
    case Dtype::kBool: return add_bool;
    case Dtype::kUInt8:
    case Dtype::kInt8: return add<std::uint8_t>;
    case Dtype::kInt16:
    case Dtype::kUInt16: return add<std::uint16_t>;
    case Dtype::kInt32:
    case Dtype::kUInt32: return add<std::uint32_t>;
    case Dtype::kInt64:
    case Dtype::kUInt64: return add<std::uint64_t>;
    case Dtype::kFloat: return add<float>;
    case Dtype::kDouble: return add<double>;
    case Dtype::kComplexFloat: return add<float, 2>;
    case Dtype::kComplexDouble: return add<double, 2>;
    case Dtype::kHalf: return add_small<std::uint16_t, 5, 10>;
    case Dtype::kComplexHalf: return add_small<std::uint16_t, 5, 10, 2>;
    case Dtype::kBFloat16: return add_small<std::uint16_t, 8, 7>;
    case Dtype::kFloat8E4M3FN: return add_small<std::uint8_t, 4, 3>;
    case Dtype::kFloat8E5M2: return add_small<std::uint8_t, 5, 2>;
    case Dtype::kFloat8E4M3FNUZ: return add_small<std::uint8_t, 4, 3, 1, true>;
    case Dtype::kFloat8E5M2FNUZ: return add_small<std::uint8_t, 5, 2, 1, true>;
  }
  return add_bool;
}

AddProduct product_adder(Dtype dtype) {
  using Half = Small<std::uint16_t, 5, 10>;
  switch (dtype) {
    case Dtype::kBool: return add_bool_product;
    case Dtype::kUInt8:
    case Dtype::kInt8: return add_product<Native<std::uint8_t>>;
    case Dtype::kInt16:
    case Dtype::kUInt16: return add_product<Native<std::uint16_t>>;
    case Dtype::kInt32:
    case Dtype::kUInt32: return add_product<Native<std::uint32_t>>;
    case Dtype::kInt64:
    case Dtype::kUInt64: return add_product<Native<std::uint64_t>>;
    case Dtype::kFloat: return add_product<Native<float>>;
    case Dtype::kDouble: return add_product<Native<double>>;
    case Dtype::kComplexFloat: return add_complex_product<Native<float>>;
    case Dtype::kComplexDouble: return add_complex_product<Native<double>>;
    case Dtype::kHalf: return add_product<Half>;
    case Dtype::kComplexHalf: return add_complex_product<Half>;
    case Dtype::kBFloat16: return add_product<Small<std::uint16_t, 8, 7>>;
    case Dtype::kFloat8E4M3FN: return add_product<Small<std::uint8_t, 4, 3>>;
    case Dtype::kFloat8E5M2: return add_product<Small<std::uint8_t, 5, 2>>;
    case Dtype::kFloat8E4M3FNUZ: return add_product<Small<std::uint8_t, 4, 3, true>>;
    case Dtype::kFloat8E5M2FNUZ: return add_product<Small<std::uint8_t, 5, 2, true>>;
  }
  return add_bool_product;
}

}  // namespace indexfuzz
