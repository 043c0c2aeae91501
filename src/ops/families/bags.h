#pragma once
// The bags of embedding_bag: the indices in each, those of them that count, and fills with which
// the sum over a bag is exact.

#include <algorithm>

#include "ops/definition/operator.h"

namespace indexfuzz {

/// The operands and attributes of embedding_bag. Indices come first, since the fills treat operand
/// 0 as self: weight is an addend like any other, without a self that it is added to.
namespace bag {
inline constexpr int kIndices = 0, kOffsets = 1, kWeight = 2, kSampleWeights = 3;
inline constexpr int kMode = 0, kIncludeLastOffset = 1, kPaddingIdx = 2, kScaleGradByFreq = 3,
                     kSparse = 4;
enum Mode : std::int64_t { kSum, kMean, kMax };
}  // namespace bag

/// Whether the call has per_sample_weights.
inline bool is_weighted(const Case& c) {
  return c.operands.size() > bag::kSampleWeights;
}

/// How many bags there are. Before repair() it may be -1: an included last offset, but no offsets.
inline std::int64_t bag_count(const Case& c) {
  return numel(c.operands[bag::kOffsets].shape) - c.attributes[bag::kIncludeLastOffset];
}

/// Whether the call has a padding_idx.
inline bool takes_padding(const Case& c) {
  return overload_of(c).attributes.size() > bag::kPaddingIdx;
}

/// The row of weight that counts in no bag; kNoRow if all of them count.
std::int64_t padding_row(const Case& c);

/// Calls f(bag, begin, end) for every bag, in order: indices [begin, end) are in it.
template <typename Offsets, typename F>
void for_each_bag(const Case& c, const Offsets& offsets, F&& f) {
  const std::int64_t indices = numel(c.operands[bag::kIndices].shape);
  const std::int64_t last = numel(c.operands[bag::kOffsets].shape) - 1;
  // A broken rule may have put an offset anywhere.
  const auto begin_of = [&](std::int64_t bag) {
    return bag > last ? indices : std::clamp<std::int64_t>(offsets[bag], 0, indices);
  };
  for (std::int64_t bag = 0; bag < bag_count(c); ++bag) f(bag, begin_of(bag), begin_of(bag + 1));
}

/// The number of indices of the longest bag.
std::int64_t longest_bag(const Case& c);
/// How often one row is named at most within a single bag.
std::int64_t most_uses_of_a_row(const Case& c);

/// Whether the last bag may end before the last index.
bool ends_early(const Case& c);

/// Settles the fill of the offsets.
void settle_offsets(Case& c);

/// Where the offsets end: offsets1 without an included last offset lie below the number of indices,
/// all others reach it.
std::int64_t offsets_bound(const Case& c);

/// Settles the fills of weight and per_sample_weights: sums are exact in every order, or a single
/// product or the sum of two numbers is rounded once.
void settle_bag_fills(Case& c);

}  // namespace indexfuzz
