// Everything that a step may leave out of a case, the boldest steps first.

#include <algorithm>

#include "case/dim_set.h"
#include "ops/definition/operator.h"
#include "ops/families/advanced_index.h"
#include "ops/repair/repair.h"
#include "ops/repair/settle_layout.h"
#include "shrink/candidate_list.h"
#include "shrink/shrink.h"

namespace indexfuzz {
namespace {

void offer_shorter_list(const Case& c, Candidates& out) {
  if (!lists_values(overload_of(c)) || input_count(c) < 2) return;
  for (std::ptrdiff_t k = 0; k < input_count(c); ++k) {
    out.offer([&](Case& candidate) { candidate.operands.erase(candidate.operands.begin() + k); });
  }
}

void offer_index_list(const Case& c, Candidates& out) {
  if (!lists_indices(overload_of(c))) return;
  for (auto k = static_cast<std::size_t>(list_begin(c));
       k < static_cast<std::size_t>(input_count(c)); ++k) {
    const auto dim = static_cast<std::size_t>(first_dim_of(c, static_cast<int>(k)));
    out.offer([&](Case& candidate) {
      candidate.operands.erase(candidate.operands.begin() + static_cast<std::ptrdiff_t>(k));
    });
    out.offer_operand(k, [](Operand& operand) { operand.present = false; });
    // Without the entry and without the dimension of self that it indexes.
    out.offer([&](Case& candidate) {
      drop_dimension(candidate.operands[0], dim);
      candidate.operands.erase(candidate.operands.begin() + static_cast<std::ptrdiff_t>(k));
    });
    if (c.operands[k].present && is_mask(c.operands[k])) {
      out.offer([&](Case& candidate) {
        drop_dimension(candidate.operands[k], 0);
        drop_dimension(candidate.operands[0], dim);
      });
    }
  }
}

void offer_fills(const Case& c, Candidates& out) {
  for (std::size_t k = 0; k < c.operands.size(); ++k) {
    const Fill& fill = c.operands[k].fill;
    out.offer_operand(k, [](Operand& o) {
      o.fill = Fill{plainest(family(o.fill.kind)), Negatives::kNone, 0, 0, o.fill.popcount};
    });
    switch (family(fill.kind)) {
      case FillFamily::kValue:
        for (const FillKind kind : {FillKind::kIndex, FillKind::kOnes, FillKind::kHash1}) {
          out.offer_operand(k, [&](Operand& o) { o.fill.kind = kind; });
        }
        break;
      case FillFamily::kIndex:
        for (const FillKind kind :
             {FillKind::kFirst, FillKind::kLast, FillKind::kAscending, FillKind::kDescending,
              FillKind::kRandom1, FillKind::kFew1, FillKind::kRuns1}) {
          out.offer_operand(k, [&](Operand& o) { o.fill.kind = kind; });
        }
        for (const Negatives negatives : {Negatives::kNone, Negatives::kAll}) {
          out.offer_operand(k, [&](Operand& o) { o.fill.negatives = negatives; });
        }
        break;
      case FillFamily::kMask:
        for (const FillKind kind :
             {FillKind::kMaskFront, FillKind::kMaskBack, FillKind::kMaskSpread1}) {
          out.offer_operand(k, [&](Operand& o) { o.fill.kind = kind; });
        }
        for (const std::uint32_t count : {0u, 1u, fill.popcount / 2, fill.popcount - 1}) {
          if (count < fill.popcount)
            out.offer_operand(k, [&](Operand& o) { o.fill.popcount = count; });
        }
        break;
    }
    out.offer_operand(k, [](Operand& o) { o.fill.repeats = 0; });
    for (std::uint32_t seed = 0; seed < 8; ++seed) {
      if (seed < fill.seed) out.offer_operand(k, [&](Operand& o) { o.fill.seed = seed; });
    }
  }
}

void offer_dtypes(const Case& c, Candidates& out) {
  const auto is_value = [](const Operand& o) { return family(o.fill.kind) == FillFamily::kValue; };
  for (const Dtype plain : {Dtype::kFloat, Dtype::kInt64, Dtype::kDouble}) {
    out.offer([&](Case& candidate) {
      for (Operand& operand : candidate.operands) {
        if (is_value(operand)) operand.dtype = plain;
      }
    });
  }
  // Any plainer dtype; value operands that share one change together. Cases that fail with several
  // dtypes then all shrink to the same one.
  for (std::size_t k = 0; k < c.operands.size(); ++k) {
    const Operand& own = c.operands[k];
    for (const Dtype plainer : plainest_dtypes(family(own.fill.kind))) {
      if (plainer == own.dtype) break;
      out.offer([&](Case& candidate) {
        candidate.operands[k].dtype = plainer;
        for (Operand& other : candidate.operands) {
          if (is_value(own) && is_value(other) && other.dtype == own.dtype) other.dtype = plainer;
        }
      });
    }
  }
}

/// Offers fewer but wider elements: a size in bytes that matters (a row that does not fit, say) is
/// then reached with fewer elements.
void offer_wider_elements(const Case& c, Candidates& out) {
  constexpr Dtype kWide = Dtype::kDouble;
  // With fewer elements little is gained, and the narrower dtype may be the reason for the failure.
  constexpr std::int64_t kManyElements = 256;
  if (c.breaks != 0 || total_elements(c) < kManyElements) return;
  for (const Operand& own : c.operands) {
    if (!own.present || family(own.fill.kind) != FillFamily::kValue) continue;
    const auto ratio = static_cast<std::int64_t>(item_size(kWide) / item_size(own.dtype));
    if (ratio < 2) continue;
    for (const std::int64_t size : own.shape) {
      if (size <= ratio) continue;
      out.offer([&](Case& candidate) {
        for (Operand& other : candidate.operands) {
          std::ranges::replace(other.shape, size, (size + ratio - 1) / ratio);
          if (family(other.fill.kind) == FillFamily::kValue && other.dtype == own.dtype)
            other.dtype = kWide;
        }
      });
    }
  }
}

void offer_environments(const Case& c, Candidates& out) {
  const Environment plain;
  if (c.environment == plain) return;
  out.offer([&](Case& candidate) { candidate.environment = plain; });
  out.offer([&](Case& candidate) { candidate.environment.threads = 1; });
  out.offer([&](Case& candidate) { candidate.environment.capability = plain.capability; });
}

void offer_gpu_settings(const Case& c, Candidates& out) {
  if (c.gpu != GpuSettings{}) {
    out.offer([](Case& candidate) { candidate.gpu = {}; });
    for (const GpuSetting& setting : kGpuSettings)
      out.offer([&](Case& candidate) { candidate.gpu.*setting.is_on = false; });
  }
  for (std::size_t k = 0; k < c.operands.size(); ++k) {
    for (const SlicePlacement nearer : {SlicePlacement::kByLayout, SlicePlacement::kApartBy2To31,
                                        SlicePlacement::kLastBehind2To31}) {
      if (c.operands[k].slices > nearer)
        out.offer_operand(k, [&](Operand& o) { o.slices = nearer; });
    }
    if (c.operands[k].on_host) out.offer_operand(k, [](Operand& o) { o.on_host = false; });
  }
}

void offer_fewer_dims(const Case& c, std::size_t a, Candidates& out) {
  const int dims = rank(c.operands[0].shape);
  for (const std::int64_t each : dims_of(c.attributes[a])) {
    const int dim = static_cast<int>(each);
    const std::int64_t others = c.attributes[a] & ~dim_bit(dim);
    out.offer([&](Case& candidate) { candidate.attributes[a] = others; });
    if (dim < 0)
      out.offer([&](Case& candidate) { candidate.attributes[a] = others | dim_bit(dim + dims); });
  }
}

/// A negative attribute: the dimension it names counted from the front or, if it names none, the
/// number one nearer to zero.
std::int64_t nearer_to_zero(const Case& c, std::size_t a) {
  const AttributeType type = overload_of(c).attributes[a].type;
  return c.attributes[a] + (is_dim(type) ? nameable_dims(c, a) : 1);
}

void offer_attributes(const Case& c, Candidates& out) {
  for (std::size_t a = 0; a < c.attributes.size(); ++a) {
    const std::int64_t value = c.attributes[a];
    const std::int64_t plain = plain_value(c, a);
    if (value == plain) continue;
    if (value == kNoInt && is_optional(overload_of(c).attributes[a].type)) {
      out.offer([&](Case& candidate) { candidate.attributes[a] = 0; });
      continue;
    }
    if (is_dim_set(c, a)) {
      offer_fewer_dims(c, a, out);
      continue;
    }
    for (const std::int64_t other : {plain, std::int64_t{0}, std::int64_t{value < 0 ? -1 : 1},
                                     value / 2, value < 0 ? nearer_to_zero(c, a) : value - 1}) {
      out.offer([&](Case& candidate) { candidate.attributes[a] = other; });
    }
  }
}

}  // namespace

void Candidates::consider(const Case& candidate) {
  // Another rule, overload or variant would be another failure.
  if (candidate.breaks != base_.breaks || candidate.overload != base_.overload ||
      candidate.variant != base_.variant)
    return;
  if (!(measure(candidate) < most_)) return;
  if (std::ranges::find(cases_, candidate) != cases_.end()) return;
  cases_.push_back(candidate);
}
bool Candidates::keep_masks(Case& candidate) const {
  bool changed = false;
  for (std::size_t k = 0; k < std::min(candidate.operands.size(), base_.operands.size()); ++k) {
    Operand& mask = candidate.operands[k];
    const Operand& before = base_.operands[k];
    if (!mask.present || !before.present || mask.fill.kind != before.fill.kind) continue;
    if (family(mask.fill.kind) != FillFamily::kMask ||
        before.fill.popcount <= distinct_values(mask))
      continue;
    mask.fill.popcount = static_cast<std::uint32_t>(distinct_values(mask));
    changed = true;
  }
  if (changed) repair(candidate, limits_);
  return changed;
}

std::vector<Case> shrink_candidates(const Case& c, const Limits& limits) {
  Candidates out(c, limits);
  out.offer([](Case& candidate) {
    for (Operand& operand : candidate.operands) lay_plainly(operand);
  });
  offer_environments(c, out);
  offer_gpu_settings(c, out);
  // Narrower elements make everything that follows faster.
  if (total_elements(c) > kUsualElements) offer_dtypes(c, out);
  offer_shapes(c, out);
  offer_shapes_before_guards(c, out);
  offer_shorter_list(c, out);
  offer_index_list(c, out);
  offer_layouts(c, out);
  offer_plain_layouts(c, out);
  offer_fills(c, out);
  offer_dtypes(c, out);
  offer_attributes(c, out);
  offer_sizes_with_attributes(c, out);
  offer_trades(c, out);
  offer_wider_elements(c, out);
  offer_values(c, out);
  offer_masks(c, out);
  offer_seeds(c, out);
  return out.take();
}

Case shrink(Case c, const Limits& limits, const FirstFailing& first_failing, int max_rounds) {
  for (int round = 0; round < max_rounds; ++round) {
    const std::vector<Case> candidates = shrink_candidates(c, limits);
    if (candidates.empty()) break;
    const int failing = first_failing(candidates);
    if (failing < 0) break;
    c = candidates[static_cast<std::size_t>(failing)];
  }
  return c;
}

}  // namespace indexfuzz
