#include "ops/moves.h"

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

template <typename Bits, int kExponent, int kMantissa, int kComponents = 1>
void add_small(std::byte* destination, const std::byte* source) {
  Bits a[kComponents], b[kComponents];
  std::memcpy(a, destination, sizeof a);
  std::memcpy(b, source, sizeof b);
  for (int i = 0; i < kComponents; ++i) {
    const std::int64_t sum =
        exact_value<kExponent, kMantissa>(a[i]) + exact_value<kExponent, kMantissa>(b[i]);
    a[i] = static_cast<Bits>(exact_bits<kExponent, kMantissa>(sum));
  }
  std::memcpy(destination, a, sizeof a);
}

void add_bool(std::byte* destination, const std::byte* source) {
  *destination |= *source;
}

}  // namespace

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
  }
  return add_bool;
}

}  // namespace indexfuzz
