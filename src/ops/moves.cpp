#include "ops/moves.h"

#include <cmath>

#include "case/number.h"

namespace indexfuzz {
namespace {

template <typename T>
void add_as(std::byte* destination, const std::byte* source) {
  T a, b;
  std::memcpy(&a, destination, sizeof a);
  std::memcpy(&b, source, sizeof b);
  a = static_cast<T>(a + b);
  std::memcpy(destination, &a, sizeof a);
}

void add_small(Dtype real, std::byte* destination, const std::byte* source) {
  write_exact(real, std::lround(to_double(real, destination) + to_double(real, source)), destination);
}

}  // namespace

void add_element(Dtype dtype, std::byte* destination, const std::byte* source) {
  const Dtype real = component(dtype);
  const std::size_t size = item_size(real);
  for (std::size_t at = 0; at < item_size(dtype); at += size) {
    std::byte* to = destination + at;
    const std::byte* from = source + at;
    switch (real) {
      case Dtype::kBool: *to |= *from; break;
      case Dtype::kUInt8:
      case Dtype::kInt8: add_as<std::uint8_t>(to, from); break;
      case Dtype::kInt16:
      case Dtype::kUInt16: add_as<std::uint16_t>(to, from); break;
      case Dtype::kInt32:
      case Dtype::kUInt32: add_as<std::uint32_t>(to, from); break;
      case Dtype::kInt64:
      case Dtype::kUInt64: add_as<std::uint64_t>(to, from); break;
      case Dtype::kFloat: add_as<float>(to, from); break;
      case Dtype::kDouble: add_as<double>(to, from); break;
      default: add_small(real, to, from); break;
    }
  }
}

}  // namespace indexfuzz
