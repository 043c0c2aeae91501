#pragma once
// How the oracles move elements: by the size of an element, not by its dtype.

#include <cstdint>
#include <cstring>
#include <vector>

#include "ops/definition/operator.h"
#include "ops/numbers/index_reader.h"

namespace indexfuzz {

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

/// OperatorInfo::contributions of an operator that moves elements of one operand: passes each of
/// them to the sink. `for_each_move(f)` calls f(element of the result, element of the operand).
template <typename ForEachMove>
void pass_moves(const OracleInput& input, int operand, ContributionSink sink, void* context,
                ForEachMove&& for_each_move) {
  const auto k = static_cast<std::size_t>(operand);
  const std::byte* const data = input.operands[k].data;
  const auto bytes = static_cast<std::int64_t>(item_size(input.c.operands[k].dtype));
  for_each_move([&](std::int64_t element, std::int64_t from) {
    sink(context, {element, data + from * bytes});
  });
}

}  // namespace indexfuzz
