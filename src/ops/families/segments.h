#pragma once
// The segments of segment_reduce: how lengths or offsets divide data along the axis.

#include "ops/definition/operator.h"
#include "ops/numbers/index_reader.h"

namespace indexfuzz {

/// The operands, attributes and overloads of segment_reduce. Lengths and offsets come first, since
/// the fills treat operand 0 as self: data is an addend.
namespace segment {
inline constexpr int kSegments = 0, kData = 1, kInitial = 2;
inline constexpr int kAxis = 0, kReduce = 1, kUnsafe = 2;
enum OverloadIndex : std::uint8_t { kLengths, kOffsets, kLengthsInitial, kOffsetsInitial };
}  // namespace segment

/// Whether the call has an `initial`.
inline bool has_initial(const Case& c) {
  return c.overload >= segment::kLengthsInitial;
}
/// Whether the segments are given by offsets, not by lengths.
inline bool has_offsets(const Case& c) {
  return c.overload == segment::kOffsets || c.overload == segment::kOffsetsInitial;
}

/// The dimension of data that is divided; a broken rule may have made it one that data lacks.
inline int axis_of(const Case& c) {
  return wrapped_dim(c.attributes[segment::kAxis], rank(c.operands[segment::kData].shape));
}
inline std::int64_t axis_size(const Case& c) {
  return size_at(c.operands[segment::kData].shape, axis_of(c));
}

/// How data is divided: `outer` rows of segments, each of `inner` elements at every place.
struct Division {
  std::int64_t outer = 1, segments = 0, inner = 1;
};
Division division_of(const Case& c);

/// Calls f(row, segment, begin, end) for every segment, in order.
template <typename F>
void for_each_segment(const Case& c, const IndexReader& positions, F&& f) {
  const Division division = division_of(c);
  std::int64_t next = 0;  // of the lengths or offsets
  for (std::int64_t row = 0; row < division.outer; ++row) {
    std::int64_t begin = has_offsets(c) ? positions[next++] : 0;
    for (std::int64_t segment = 0; segment < division.segments; ++segment) {
      const std::int64_t end = positions[next++] + (has_offsets(c) ? 0 : begin);
      f(row, segment, begin, end);
      begin = end;
    }
  }
}

/// The number of elements of the longest segment.
std::int64_t longest_segment(const Case& c);

/// Gives lengths or offsets the shape of data up to the axis, and as many segments as were drawn:
/// one or more, unless the axis is empty.
void fit_segments(Case& c, const Limits& limits);
/// Settles the fill and layout of lengths or offsets.
void settle_segments(Case& c, const Limits& limits);

}  // namespace indexfuzz
