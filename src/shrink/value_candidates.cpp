// Smaller shapes with other elements.

#include <algorithm>
#include <array>

#include "ops/definition/operator.h"
#include "shrink/candidate_list.h"

namespace indexfuzz {
namespace {

// A case with at most this many elements can hardly become smaller, and if it fails only after
// other cases, each candidate costs a process.
constexpr std::int64_t kFewElements = 4;

/// Whether the set elements of a mask hold any numbers but 0, as its seed has it.
bool holds_any_numbers(const Operand& mask) {
  return mask.dtype != Dtype::kBool && mask.fill.seed % 2 != 0;
}

/// Whether another seed makes other elements whatever the dtype. The fills excluded here read the
/// seed in a few dtypes only; nearly every operand has one of them, and most of their seeds would
/// make the same case.
bool seed_makes_elements(const Operand& operand) {
  switch (operand.fill.kind) {
    case FillKind::kIndex: return false;
    case FillKind::kMaskFront:
    case FillKind::kMaskBack:
    case FillKind::kMaskSpread1: return holds_any_numbers(operand);
    default: return reads_seed(operand.fill);
  }
}

bool is_value(const Case& c, std::size_t k) {
  return c.operands[k].present && family(c.operands[k].fill.kind) == FillFamily::kValue &&
         spec_of(c, static_cast<int>(k)).role != Role::kScalar;
}

void make_smaller(Case& c, std::int64_t (*size_for)(std::int64_t)) {
  for (Operand& operand : c.operands) {
    // min() keeps a size of 0: an empty operand stays empty.
    for (std::int64_t& size : operand.shape) size = std::min(size, size_for(size));
  }
}

void seed_all(Case& c, std::uint32_t seed) {
  for (Operand& operand : c.operands) operand.fill.seed = seed;
}

}  // namespace

void offer_values(const Case& c, Candidates& out) {
  // The elements of an illegal call are not judged.
  if (c.breaks != 0 || total_elements(c) <= kFewElements) return;
  const std::array smaller{+[](std::int64_t) { return std::int64_t{1}; },
                           +[](std::int64_t size) { return std::min<std::int64_t>(size, 2); },
                           +[](std::int64_t size) { return (size + 1) / 2; }};
  for (const auto& size_for : smaller) {
    const bool is_least = size_for == smaller.front();
    const auto offer = [&](std::uint32_t seed, auto&& fill) {
      out.offer([&](Case& candidate) {
        make_smaller(candidate, size_for);
        seed_all(candidate, seed);
        fill(candidate);
      });
    };
    const std::uint32_t seeds = is_least ? 16 : 8;
    for (std::uint32_t seed = 0; seed < seeds; ++seed) {
      offer(seed, [](Case&) {});
      offer(seed, [](Case& candidate) {
        for (std::size_t k = 0; k < candidate.operands.size(); ++k)
          if (is_value(candidate, k)) candidate.operands[k].fill.kind = FillKind::kHash1;
      });
    }
    // Special values in one operand, zeros in the others. This takes many seeds: there are a dozen
    // kinds of special values, and where sums must be exact only one element in four has any.
    for (std::uint32_t seed = 0; seed < (is_least ? 64u : 8u); ++seed) {
      for (std::size_t k = 0; k < c.operands.size(); ++k) {
        if (!is_value(c, k)) continue;
        offer(seed, [&](Case& candidate) {
          for (std::size_t other = 0; other < candidate.operands.size(); ++other) {
            if (is_value(candidate, other))
              candidate.operands[other].fill.kind =
                  other == k ? FillKind::kSpecial1 : FillKind::kZeros;
          }
        });
      }
    }
  }
}

void offer_masks(const Case& c, Candidates& out) {
  constexpr std::int64_t kMostOfMask = 4096;
  if (c.breaks != 0 || total_elements(c) <= kFewElements) return;
  const std::array smaller{+[](std::int64_t size) { return (size + 1) / 2; },
                           +[](std::int64_t size) { return std::max<std::int64_t>(size - 1, 1); }};
  for (std::size_t k = 0; k < c.operands.size(); ++k) {
    const Operand& mask = c.operands[k];
    const std::int64_t count = numel(mask.shape);
    if (!mask.present || family(mask.fill.kind) != FillFamily::kMask || mask.fill.popcount == 0)
      continue;
    if (count > kMostOfMask || rank(mask.shape) > 2) continue;
    // Small masks get more seeds: eight flags alone have 256 patterns.
    const std::uint32_t seeds = count <= 64 ? 160 : 32;
    for (const auto& size_for : smaller) {
      for (std::uint32_t seed = 0; seed < seeds; ++seed) {
        out.offer([&](Case& candidate) {
          make_smaller(candidate, size_for);
          Operand& small = candidate.operands[k];
          small.fill.kind = FillKind::kMaskRandom1;
          small.fill.seed = seed;
          small.fill.popcount = static_cast<std::uint32_t>(
              (mask.fill.popcount * numel(small.shape) + count / 2) / count);
        });
      }
    }
  }
}

void offer_seeds(const Case& c, Candidates& out) {
  // The value that matters occurs under few seeds and at few places: a smaller operand needs
  // another seed to hold it.
  for (std::size_t k = 0; k < c.operands.size(); ++k) {
    // Before this is the only step left, most dimensions have been dropped.
    if (!seed_makes_elements(c.operands[k]) || rank(c.operands[k].shape) > 2) continue;
    // Only one element in dozens is special, and each may be of a dozen kinds.
    const FillKind kind = c.operands[k].fill.kind;
    const bool is_special = kind == FillKind::kSpecial1 || kind == FillKind::kSpecial2 ||
                            kind == FillKind::kSorted3 || kind == FillKind::kSearched2 ||
                            (family(kind) == FillFamily::kMask && holds_any_numbers(c.operands[k]));
    const std::uint32_t seeds = is_special ? 64 : 16;
    for (std::size_t d = 0; d < c.operands[k].shape.size(); ++d) {
      const std::int64_t size = c.operands[k].shape[d];
      if (size < 2) continue;
      for (const std::int64_t smaller : {std::int64_t{1}, size / 2}) {
        for (std::uint32_t seed = 0; seed < seeds; ++seed) {
          out.offer_operand(k, [&](Operand& operand) {
            operand.shape[d] = smaller;
            operand.fill.seed = seed;
          });
        }
      }
    }
  }
}

}  // namespace indexfuzz
