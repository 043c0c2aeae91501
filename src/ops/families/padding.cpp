#include "ops/families/padding.h"

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include "ops/families/moves.h"
#include "ops/illegal.h"
#include "ops/repair/clamp.h"

namespace indexfuzz {
namespace {

constexpr int kSelf = 0;

/// How many dimensions are padded, from the last one on.
int padded_dims(const Case& c) {
  return static_cast<int>(overload_of(c).attributes.size()) / 2;
}

/// Self has a dimension of channels before the padded ones and may have one of batches, which alone
/// may have size 0.
int rank_with_batches(const Case& c) {
  return padded_dims(c) + 2;
}

/// The size of the padded dimension that the attribute belongs to; the last one comes first.
std::int64_t padded_size(const Case& c, std::size_t attribute) {
  const Dims& shape = c.operands[kSelf].shape;
  return shape[shape.size() - 1 - attribute / 2];
}

std::span<std::int64_t> paddings(Case& c) {
  return std::span(c.attributes).first(overload_of(c).attributes.size());
}

void give_channels(Operand& self, int padded, int most_dims, const Limits& limits) {
  Dims& shape = self.shape;
  clamp_shape(shape, most_dims, limits.max_elements);
  if (rank(shape) <= padded) set_rank(shape, padded + 1);
  for (std::size_t d = rank(shape) == most_dims ? 1 : 0; d < shape.size(); ++d)
    shape[d] = std::max<std::int64_t>(shape[d], 1);
  clamp_shape(shape, most_dims, limits.max_elements);
}

/// `most_of`: how far a dimension of this size may be padded on one side.
void repair_padding(Case& c, const Limits& limits, std::int64_t (*most_of)(std::int64_t size)) {
  Operand& self = c.operands[kSelf];
  clamp_dtype(self.dtype, limits.dtypes);
  give_channels(self, padded_dims(c), rank_with_batches(c), limits);
  clamp_fill(self.fill, FillFamily::kValue);
  const std::span<std::int64_t> all = paddings(c);
  for (std::size_t a = 0; a < all.size(); ++a)
    all[a] = std::max<std::int64_t>(all[a], 0) % (most_of(padded_size(c, a)) + 1);
  while (!is_within(padded_result(c).shape, limits)) *std::ranges::max_element(all) /= 2;
}

/// Fewer dimensions than channels and the padded ones have, or more than with batches.
bool change_rank(Case& c, bool lower) {
  if (c.variant != Variant::kFunctional) return false;
  if (!lower) return add_dimension(c, kSelf, rank_with_batches(c) + 1);
  while (rank(c.operands[kSelf].shape) > padded_dims(c)) remove_dimension(c, kSelf, 1);
  return true;
}

bool empty_padded_dimension(Case& c) {
  Operand& self = c.operands[kSelf];
  resize_dimension(self, self.shape.size() - 1, 0);
  return true;
}

/// Pads one side by as many elements as the dimension has: too many for a reflection.
bool pad_by_whole_size(Case& c) {
  const std::size_t a = chance_of(c) % paddings(c).size();
  paddings(c)[a] = padded_size(c, a);
  return true;
}

/// Pads both ends of a dimension by so many elements that their number overflows, and the result
/// seems to be smaller than self.
bool pad_beyond_int64(Case& c) {
  const std::span<std::int64_t> all = paddings(c);
  for (std::size_t a = 0; a < all.size(); a += 2) {
    if (padded_size(c, a) < 3) continue;
    all[a] = all[a + 1] = std::numeric_limits<std::int64_t>::max();
    return true;
  }
  return false;
}

/// The rules of all operators that pad, and one more.
constexpr std::array<IllegalRule, 6> padding_rules_and(IllegalRule last) {
  // There is no rule against an out that is self, of which nothing is documented.
  return {{
      // A custom kernel may well take any number of dimensions, or nothing to be padded.
      {1, "rank_above", [](Case& c) { return change_rank(c, false); }, !kByValue, kATenOnly},
      {2, "rank_below", [](Case& c) { return change_rank(c, true); }, !kByValue, kATenOnly},
      {3, "self_empty", empty_padded_dimension, !kByValue, kATenOnly},
      {4, "out_dtype", change_out_dtype},
      {5, "out_overlaps_itself", overlap_written},
      last,
  }};
}

/// The element of a dimension of this size from which the element `place` of the result is copied;
/// `place` counts from the first element that is not padding.
using PaddingSource = std::int64_t (*)(std::int64_t place, std::int64_t size);

void write_padded(const OracleInput& input, PaddingSource source_of, std::byte* destination) {
  constexpr std::size_t kMostPadded = kMaxAttributes / 2;
  const Case& c = input.c;
  const Dims to = padded_result(c).shape;
  // Of each padded dimension, the last one first, where the elements of the result come from; an
  // operator that pads fewer takes one plane, or one row, after the other.
  static thread_local std::array<std::vector<std::int64_t>, kMostPadded> sources;
  std::int64_t stride = 1;
  for (std::size_t d = 0; d < kMostPadded; ++d) {
    sources[d].clear();
    if (d >= static_cast<std::size_t>(padded_dims(c))) {
      sources[d].push_back(0);
      continue;
    }
    const std::int64_t size = padded_size(c, 2 * d);
    for (std::int64_t i = 0; i < to[to.size() - 1 - d]; ++i)
      sources[d].push_back(source_of(i - c.attributes[2 * d], size) * stride);
    stride *= size;
  }
  const auto& [columns, rows, slices] = sources;
  move_elements(c.operands[kSelf].dtype, destination, input.operands[kSelf].data,
                [&](auto* result, const auto* from) {
                  const auto* const end = from + input.operands[kSelf].count;
                  for (; from != end; from += stride) {
                    for (const std::int64_t slice : slices)
                      for (const std::int64_t row : rows)
                        for (const std::int64_t column : columns)
                          *result++ = from[slice + row + column];
                  }
                });
}

}  // namespace

constinit const std::array<IllegalRule, 6> reflection_rules =
    padding_rules_and({6, "padding_as_long", pad_by_whole_size});
constinit const std::array<IllegalRule, 6> replication_rules =
    padding_rules_and({6, "padding_overflows", pad_beyond_int64, !kByValue, kATenOnly});

void repair_reflection(Case& c, const Limits& limits) {
  repair_padding(c, limits, [](std::int64_t size) { return size - 1; });
}

void repair_replication(Case& c, const Limits& limits) {
  constexpr std::int64_t kFew = 3;
  // Where three dimensions grow along with their sizes, results would mostly be too large to be
  // worth their time.
  if (padded_dims(c) == 3) return repair_padding(c, limits, [](std::int64_t) { return kFew; });
  repair_padding(c, limits, [](std::int64_t size) { return 2 * size + kFew; });
}

ResultSpec padded_result(const Case& c) {
  ResultSpec spec = result_like_self(c);
  for (std::size_t a = 0; a < overload_of(c).attributes.size(); ++a) {
    std::int64_t& size = spec.shape[spec.shape.size() - 1 - a / 2];
    // Unsigned, since an illegal sum overflows.
    size = static_cast<std::int64_t>(static_cast<std::uint64_t>(size) +
                                     static_cast<std::uint64_t>(c.attributes[a]));
  }
  return spec;
}

void write_reflected(const OracleInput& input, std::byte* destination) {
  write_padded(
      input,
      [](std::int64_t place, std::int64_t size) {
        return place < 0 ? -place : place < size ? place : 2 * (size - 1) - place;
      },
      destination);
}

void write_replicated(const OracleInput& input, std::byte* destination) {
  write_padded(
      input,
      [](std::int64_t place, std::int64_t size) {
        return std::clamp<std::int64_t>(place, 0, size - 1);
      },
      destination);
}

}  // namespace indexfuzz
