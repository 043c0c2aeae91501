#pragma once
// How the oracles read indices and move elements: by the size of an element, not by its dtype.

#include <cstdint>
#include <cstring>
#include <vector>

#include "ops/operator.h"

namespace indexfuzz {

/// Reads the int32 or int64 indices of an operand.
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

/// An element of kBytes bytes, of any dtype and at any address.
template <std::size_t kBytes>
struct Element {
  std::byte bytes[kBytes];
};

/// Calls f(Element<N>{}), where N is the size of the dtype.
template <typename F>
void with_elements(Dtype dtype, F&& f) {
  switch (item_size(dtype)) {
    case 1: return f(Element<1>{});
    case 2: return f(Element<2>{});
    case 4: return f(Element<4>{});
    case 8: return f(Element<8>{});
    default: return f(Element<16>{});
  }
}
/// The bytes as elements of type E.
template <typename E>
E* elements(E, std::byte* bytes) {
  return reinterpret_cast<E*>(bytes);
}
template <typename E>
const E* elements(E, const std::byte* bytes) {
  return reinterpret_cast<const E*>(bytes);
}

/// Copies contiguous elements; a few of them are not worth a call of memcpy().
template <typename E>
void copy_run(const E* from, std::int64_t count, E* to) {
  constexpr std::int64_t kFew = 8;
  if (count > kFew) {
    std::memcpy(to, from, static_cast<std::size_t>(count) * sizeof(E));
    return;
  }
  for (std::int64_t i = 0; i < count; ++i) to[i] = from[i];
}

/// Calls f(to, from) with both as elements of the dtype's size.
template <typename F>
void move_elements(Dtype dtype, std::byte* to, const std::byte* from, F&& f) {
  with_elements(dtype, [&](auto element) { f(elements(element, to), elements(element, from)); });
}

/// The dense elements of an operand, converted to `dtype` in `buffer` unless they have it already.
const std::byte* elements_as(Dtype dtype, const OracleInput& input, int operand,
                             std::vector<std::byte>& buffer);

/// Copies the elements of an operand: the start of a result of which not all elements are written.
void copy_operand(const OracleInput& input, int operand, std::byte* destination);

}  // namespace indexfuzz
