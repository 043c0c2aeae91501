#include "ops/families/bags.h"

#include <vector>

#include "ops/fills/filled_positions.h"
#include "ops/repair/clamp.h"
#include "ops/repair/settled_sums.h"

namespace indexfuzz {
namespace {

using namespace bag;

/// Whether a fill is for the terms of sums, not for factors in them.
bool holds_terms(FillKind kind) {
  return kind == FillKind::kSums1 || kind == FillKind::kSums3 || kind == FillKind::kSums5 ||
         has_unit(kind);
}

/// Settles the fills of weight and per_sample_weights so that products and their sums are exact.
/// With a single index both may have all the bits that there are: the product is rounded once.
void settle_weighted(Case& c) {
  FillKind& kind = c.operands[kWeight].fill.kind;
  Operand& samples = c.operands[kSampleWeights];
  clamp_fill(samples.fill, FillFamily::kValue);
  FillKind& factor = samples.fill.kind;
  const bool is_alone = numel(c.operands[kIndices].shape) == 1;
  if (is_alone && (factor == FillKind::kHash1 || factor == FillKind::kClose1)) {
    factor = FillKind::kClose1;
    // The product of two large numbers overflows float16.
    kind = samples.dtype == Dtype::kHalf ? FillKind::kFactor1 : FillKind::kClose1;
    return;
  }
  if (holds_terms(factor)) {
    kind = FillKind::kOnes;
    return settle_terms(samples);
  }
  Operand factors = samples;
  settle_sums(factors, c.operands[kWeight], false);
  // Zero times an infinity is NaN.
  if (has_unit(kind)) kind = FillKind::kSums1;
  if (factor == FillKind::kHash1 || factor == FillKind::kSpecial1)
    factor = FillKind::kFactor3;
  else if (factor != FillKind::kZeros && factor != FillKind::kOnes && factor != FillKind::kFactor3)
    factor = FillKind::kFactor1;
}

}  // namespace

std::int64_t padding_row(const Case& c) {
  if (!takes_padding(c) || c.attributes[kPaddingIdx] == kNoInt) return kNoRow;
  const std::int64_t row = c.attributes[kPaddingIdx];
  return row < 0 ? row + c.operands[kWeight].shape[0] : row;
}

std::int64_t longest_bag(const Case& c) {
  static thread_local std::vector<std::byte> bytes;
  std::int64_t longest = 0;
  for_each_bag(c, filled_positions(c, kOffsets, bytes),
               [&](std::int64_t, std::int64_t begin, std::int64_t end) {
                 longest = std::max(longest, end - begin);
               });
  return longest;
}

std::int64_t most_uses_of_a_row(const Case& c) {
  static thread_local std::vector<std::byte> index_bytes, offset_bytes;
  static thread_local std::vector<std::int64_t> rows;
  const IndexReader index = filled_positions(c, kIndices, index_bytes),
                    offsets = filled_positions(c, kOffsets, offset_bytes);
  std::int64_t most = 0;
  for_each_bag(c, offsets, [&](std::int64_t, std::int64_t begin, std::int64_t end) {
    rows.clear();
    for (std::int64_t i = begin; i < end; ++i) rows.push_back(index[i]);
    std::ranges::sort(rows);
    for (auto row = rows.begin(); row != rows.end();) {
      const auto next = std::upper_bound(row, rows.end(), *row);
      most = std::max<std::int64_t>(most, next - row);
      row = next;
    }
  });
  return most;
}

bool ends_early(const Case& c) {
  return c.attributes[kIncludeLastOffset] != 0 &&
         c.operands[kOffsets].fill.kind == FillKind::kOffsets1;
}

void settle_offsets(Case& c) {
  FillKind& kind = c.operands[kOffsets].fill.kind;
  clamp_fill(c.operands[kOffsets].fill, FillFamily::kIndex);
  const bool is_irregular = kind == FillKind::kRandom1 || kind == FillKind::kDistinct1 ||
                            kind == FillKind::kOffsets3 || kind == FillKind::kOffsets4;
  if (c.attributes[kIncludeLastOffset] == 0) {
    kind = is_irregular ? FillKind::kOffsets3 : FillKind::kOffsets1;
  } else if (is_irregular) {
    kind = FillKind::kOffsets4;
  } else if (kind != FillKind::kOffsets1) {
    // The last bag may end early if few1 was drawn, or if the case already has offsets1.
    kind = kind == FillKind::kFew1 ? FillKind::kOffsets1 : FillKind::kOffsets2;
  }
}

std::int64_t offsets_bound(const Case& c) {
  const bool reaches_end = c.attributes[kIncludeLastOffset] != 0 ||
                           c.operands[kOffsets].fill.kind == FillKind::kOffsets3;
  return numel(c.operands[kIndices].shape) + (reaches_end ? 1 : 0);
}

void settle_bag_fills(Case& c) {
  Operand& weight = c.operands[kWeight];
  FillKind& kind = weight.fill.kind;
  clamp_fill(weight.fill, FillFamily::kValue);
  // The sum of two numbers is rounded once.
  const bool adds_once = !is_weighted(c) && numel(c.operands[kIndices].shape) <= 2;
  if (c.attributes[kMode] == kSum && adds_once && kind == FillKind::kHash1) return;
  if (c.attributes[kMode] == kMax) {
    if (kind == FillKind::kSpecial1 || kind == FillKind::kSums3) kind = FillKind::kSpecial2;
    if (kind == FillKind::kBetween1 || kind == FillKind::kSums4) kind = FillKind::kClose1;
    return;
  }
  if (is_weighted(c)) return settle_weighted(c);
  if (c.attributes[kMode] == kMean)
    settle_terms_of_means(weight);
  else
    settle_terms(weight);
}

}  // namespace indexfuzz
