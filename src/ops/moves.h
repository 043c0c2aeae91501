#pragma once
// Reading indices and moving elements, as the oracles do it: by the size of an element, not its
// dtype.

#include <cstdint>
#include <cstring>

#include "ops/operator.h"

namespace indexfuzz {

/// The indices of an operand, whatever their width.
class IndexReader {
 public:
  IndexReader(const OracleInput& input, int operand)
      : data_(input.operands[static_cast<std::size_t>(operand)].data),
        count_(input.operands[static_cast<std::size_t>(operand)].count),
        wide_(input.c.operands[static_cast<std::size_t>(operand)].dtype == Dtype::kInt64) {}

  std::int64_t count() const { return count_; }
  std::int64_t operator[](std::int64_t i) const {
    if (wide_) {
      std::int64_t value;
      std::memcpy(&value, data_ + i * 8, sizeof value);
      return value;
    }
    std::int32_t value;
    std::memcpy(&value, data_ + i * 4, sizeof value);
    return value;
  }

 private:
  const std::byte* data_;
  std::int64_t count_;
  bool wide_;
};

/// memcpy that does not call out for the sizes of one element.
inline void move_bytes(std::byte* destination, const std::byte* source, std::int64_t bytes) {
  switch (bytes) {
    case 0: return;
    case 1: std::memcpy(destination, source, 1); return;
    case 2: std::memcpy(destination, source, 2); return;
    case 4: std::memcpy(destination, source, 4); return;
    case 8: std::memcpy(destination, source, 8); return;
    case 16: std::memcpy(destination, source, 16); return;
    default: std::memcpy(destination, source, static_cast<std::size_t>(bytes)); return;
  }
}

/// The elements of an operand, as a result begins with whose elements are not all written.
void copy_operand(const OracleInput& input, int operand, std::byte* destination);

/// destination += source for one element, to the nearest number; integers wrap; bool: or. A complex
/// element is two sums.
using AddElement = void (*)(std::byte* destination, const std::byte* source);
AddElement adder(Dtype dtype);

/// destination += source * factor for one element, where the product is exact or wraps; the sum as
/// above; bool: both, or'ed.
using AddProduct = void (*)(std::byte* destination, const std::byte* source,
                            const std::byte* factor);
AddProduct product_adder(Dtype dtype);

}  // namespace indexfuzz
