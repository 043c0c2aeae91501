#pragma once
// Which elements a padding continues self with: shared by the operators that pad self (operand 0)
// and by their gradients.

#include <array>
#include <span>
#include <vector>

#include "ops/definition/operator.h"

namespace indexfuzz {

/// By how many elements each side of self is padded.
inline constexpr AttributeSpec kPaddings[] = {
    {"left", AttributeType::kSize},  {"right", AttributeType::kSize},
    {"top", AttributeType::kSize},   {"bottom", AttributeType::kSize},
    {"front", AttributeType::kSize}, {"back", AttributeType::kSize}};
/// The attributes of an operator that pads `kDims` dimensions.
template <std::uint8_t kDims>
inline constexpr std::span<const AttributeSpec> kPaddingAttributes =
    std::span(kPaddings).first(2 * kDims);

/// How many dimensions are padded, from the last one on.
int padded_dims(const Case& c);
/// Self has a dimension of channels before the padded ones and may have one of batches, which alone
/// may have size 0.
int rank_with_batches(const Case& c);
/// The size of the padded dimension that the attribute belongs to; the last one comes first.
std::int64_t padded_size(const Case& c, std::size_t attribute);
/// The attributes.
std::span<std::int64_t> paddings(Case& c);
/// Self's shape and dtype after padding.
ResultSpec padded_result(const Case& c);

/// How far one side of a dimension of this size, one of `dims` that are padded, is padded at most
/// where any number of elements is legal: beyond that a result is not worth its time.
std::int64_t most_padding(int dims, std::int64_t size);
/// Brings the padded tensor within the limits, and pads widely only where little comes of it.
void shorten_paddings(Case& c, const Limits& limits);

/// Make self and the paddings legal, of these dtypes. A reflection pads each side by fewer elements
/// than the dimension has, a replication by any number; those that are drawn leave the padded
/// tensor a size worth its time.
void repair_reflected(Case& c, const Limits& limits, DtypeSet dtypes);
void repair_replicated(Case& c, const Limits& limits, DtypeSet dtypes);

/// The attribute of a side that is chosen by chance, and the attribute of the side opposite to it.
std::size_t chosen_side(const Case& c);
constexpr std::size_t opposite(std::size_t side) {
  return side ^ 1;
}

/// Pads one side by as many elements as the dimension has: too many for a reflection. Always true.
bool pad_by_whole_size(Case& c);
/// Pads both ends of a dimension by so many elements that their number overflows, and the result
/// seems to be smaller than self.
bool pad_beyond_int64(Case& c);

/// The element of a dimension of this size from which the element `place` of the padded one is
/// copied; `place` counts from the first element that is not padding.
using PaddingSource = std::int64_t (*)(std::int64_t place, std::int64_t size);
/// Elements beyond an end are those before it, counted back from the last one, or the last one
/// itself.
std::int64_t reflected_place(std::int64_t place, std::int64_t size);
std::int64_t replicated_place(std::int64_t place, std::int64_t size);

/// Where in self the elements of a padded tensor come from.
struct PaddingSources {
  /// Of each dimension that may be padded, the last one first: offsets in elements of self. One
  /// that is not padded is counted with those before it.
  std::array<std::vector<std::int64_t>, kMaxAttributes / 2> offsets;
  std::int64_t padded_together = 1;  ///< elements of self
};
/// Valid until the thread calls it again.
const PaddingSources& padding_sources(const Case& c, PaddingSource source_of);

/// Calls f(element of self) for the source of every element of the padded tensor, in row-major
/// order.
template <typename F>
void for_each_source(const Case& c, PaddingSource source_of, F&& f) {
  const PaddingSources& sources = padding_sources(c, source_of);
  const auto& [columns, rows, slices] = sources.offsets;
  const std::int64_t end = numel(c.operands[0].shape);
  for (std::int64_t begin = 0; begin != end; begin += sources.padded_together) {
    for (const std::int64_t slice : slices)
      for (const std::int64_t row : rows)
        for (const std::int64_t column : columns) f(begin + slice + row + column);
  }
}

}  // namespace indexfuzz
