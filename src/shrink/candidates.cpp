// What might be left out of a case: the boldest step first, one at a time. Every candidate is
// repaired, so that a step may be as blunt as it likes.

#include <algorithm>
#include <set>

#include "ops/operator.h"
#include "ops/repair.h"
#include "shrink/measure.h"
#include "shrink/shrink.h"

namespace indexfuzz {
namespace {

class Candidates {
 public:
  Candidates(const Case& c, const Limits& limits) : base_(c), limits_(limits), most_(measure(c)) {}

  /// Offers the case changed by `step(Case&)`.
  template <typename Step>
  void offer(Step&& step) {
    Case candidate = base_;
    step(candidate);
    repair(candidate, limits_);
    consider(candidate);
    if (keep_masks(candidate)) consider(candidate);
  }
  /// Offers the case with operand k changed by `step(Operand&)`.
  template <typename Step>
  void offer_operand(std::size_t k, Step&& step) {
    offer([&](Case& c) { step(c.operands[k]); });
  }
  std::vector<Case> take() { return std::move(cases_); }

 private:
  void consider(const Case& candidate) {
    // Another rule, overload or variant would be another failure.
    if (candidate.breaks != base_.breaks || candidate.overload != base_.overload ||
        candidate.variant != base_.variant)
      return;
    if (!(measure(candidate) < most_)) return;
    if (std::ranges::find(cases_, candidate) != cases_.end()) return;
    cases_.push_back(candidate);
  }
  /// Repair gives a mask that became too small for its popcount any other one; a full mask stays
  /// full.
  bool keep_masks(Case& candidate) const {
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

  const Case& base_;
  const Limits& limits_;
  Measure most_;
  std::vector<Case> cases_;
};

FillKind plainest(FillKind kind) {
  switch (family(kind)) {
    case FillFamily::kValue: return FillKind::kIndex;
    case FillFamily::kIndex: return FillKind::kFirst;
    case FillFamily::kMask: return FillKind::kMaskFront;
  }
  return kind;
}

void make_contiguous(Operand& operand) {
  operand.layout = contiguous_layout(rank(operand.shape));
  operand.guard = Guard::kRight;
}

void drop_dimension(Operand& operand, std::size_t d) {
  if (d >= operand.shape.size()) return;
  operand.shape.erase(operand.shape.begin() + static_cast<std::ptrdiff_t>(d));
  Layout& layout = operand.layout;
  layout.dims.erase(layout.dims.begin() + static_cast<std::ptrdiff_t>(d));
  layout.order.erase(std::ranges::find(layout.order, d));
  for (std::uint8_t& other : layout.order)
    other = static_cast<std::uint8_t>(other - (other > d ? 1 : 0));
  const std::uint32_t low = operand.fill.repeats & ((1u << d) - 1);
  operand.fill.repeats = static_cast<std::uint16_t>(low | ((operand.fill.repeats >> (d + 1)) << d));
}

/// Sizes worth trying instead of a size.
std::vector<std::int64_t> smaller_sizes(std::int64_t size) {
  std::vector<std::int64_t> sizes;
  for (const std::int64_t smaller :
       {std::int64_t{1}, std::int64_t{2}, size / 4, size / 2, size * 3 / 4, size - 1}) {
    if (smaller >= 1 && smaller < size && std::ranges::find(sizes, smaller) == sizes.end())
      sizes.push_back(smaller);
  }
  return sizes;
}

void offer_shapes(const Case& c, Candidates& out) {
  // One size wherever it occurs, since operands have to agree.
  std::set<std::int64_t, std::greater<>> sizes;
  for (const Operand& operand : c.operands)
    sizes.insert(operand.shape.begin(), operand.shape.end());
  for (const std::int64_t size : sizes) {
    for (const std::int64_t smaller : smaller_sizes(size)) {
      out.offer([&](Case& candidate) {
        for (Operand& operand : candidate.operands)
          std::ranges::replace(operand.shape, size, smaller);
      });
    }
  }
  // One dimension of all operands that have it: along dimension d, and counted from the end.
  for (std::size_t d = 0; d < kMaxDims; ++d) {
    out.offer([&](Case& candidate) {
      for (Operand& operand : candidate.operands) drop_dimension(operand, d);
      for (std::int64_t& attribute : candidate.attributes) {
        if (attribute > static_cast<std::int64_t>(d)) --attribute;
      }
    });
    for (const bool half : {false, true}) {
      out.offer([&](Case& candidate) {
        for (Operand& operand : candidate.operands) {
          if (d >= operand.shape.size()) continue;
          std::int64_t& size = operand.shape[d];
          size = half ? (size + 1) / 2 : std::min<std::int64_t>(size, 1);
        }
      });
    }
  }
  for (std::size_t k = 0; k < c.operands.size(); ++k) {
    for (std::size_t d = 0; d < c.operands[k].shape.size(); ++d) {
      out.offer_operand(k, [&](Operand& operand) { drop_dimension(operand, d); });
      for (const std::int64_t smaller : smaller_sizes(c.operands[k].shape[d])) {
        out.offer_operand(k, [&](Operand& operand) { operand.shape[d] = smaller; });
      }
      // Two operands whose sizes are tied by another rule than equality.
      for (std::size_t other = 0; other < c.operands.size(); ++other) {
        if (other == k || d >= c.operands[other].shape.size() || c.operands[k].shape[d] < 2)
          continue;
        out.offer([&](Case& candidate) {
          --candidate.operands[k].shape[d];
          candidate.operands[other].shape[d] =
              std::max<std::int64_t>(candidate.operands[other].shape[d] - 1, 1);
        });
      }
    }
  }
}

/// Where only the product of two sizes matters, in the result say, the sum may still fall.
void offer_trades(const Case& c, Candidates& out) {
  for (std::size_t k = 0; k < c.operands.size(); ++k) {
    for (std::size_t d = 0; d < c.operands[k].shape.size(); ++d) {
      if (c.operands[k].shape[d] < 2) continue;
      for (std::size_t other = 0; other < c.operands.size(); ++other) {
        // A 0-dimensional operand, one index say, may become a row of several.
        for (std::size_t e = 0; e < std::max<std::size_t>(c.operands[other].shape.size(), 1); ++e) {
          if (other == k && e == d) continue;
          out.offer([&](Case& candidate) {
            if (candidate.operands[other].shape.empty()) candidate.operands[other].shape = {1};
            std::int64_t& less = candidate.operands[k].shape[d];
            std::int64_t& more = candidate.operands[other].shape[e];
            more = (more * less + (less + 1) / 2 - 1) / ((less + 1) / 2);
            less = (less + 1) / 2;
          });
        }
      }
    }
  }
}

bool reads_seed(FillKind kind) {
  switch (kind) {
    case FillKind::kHash1:
    case FillKind::kSpecial1:
    case FillKind::kRandom1:
    case FillKind::kFew1:
    case FillKind::kMaskMixed1: return true;
    default: return false;
  }
}

/// A value that a few seeds put at a few places: a smaller operand needs another seed to hold it.
void offer_seeds(const Case& c, Candidates& out) {
  for (std::size_t k = 0; k < c.operands.size(); ++k) {
    // Most dimensions have gone before this is the only way on.
    if (!reads_seed(c.operands[k].fill.kind) || rank(c.operands[k].shape) > 2) continue;
    // One element in dozens is special, and each of a dozen kinds.
    const std::uint32_t seeds = c.operands[k].fill.kind == FillKind::kSpecial1 ? 64 : 16;
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

void offer_lists(const Case& c, Candidates& out) {
  if (!overload_of(c).operands.back().is_list) return;
  const auto first = overload_of(c).operands.size() - 1;
  for (std::size_t k = first; k < static_cast<std::size_t>(input_count(c)); ++k) {
    out.offer([&](Case& candidate) {
      candidate.operands.erase(candidate.operands.begin() + static_cast<std::ptrdiff_t>(k));
    });
    out.offer_operand(k, [](Operand& operand) { operand.present = false; });
    // Without the entry and without the dimension of self that it indexes.
    out.offer([&](Case& candidate) {
      drop_dimension(candidate.operands[0], k - first);
      candidate.operands.erase(candidate.operands.begin() + static_cast<std::ptrdiff_t>(k));
    });
    if (c.operands[k].present && contains(kMaskDtypes, c.operands[k].dtype)) {
      out.offer([&](Case& candidate) {
        drop_dimension(candidate.operands[k], 0);
        drop_dimension(candidate.operands[0], k - first);
      });
    }
  }
}

void offer_layouts(const Case& c, Candidates& out) {
  for (std::size_t k = 0; k < c.operands.size(); ++k) {
    const Layout& layout = c.operands[k].layout;
    out.offer_operand(k, make_contiguous);
    out.offer_operand(k, [](Operand& o) { o.layout.offset = 0; });
    out.offer_operand(
        k, [](Operand& o) { o.layout.offset = std::min<std::int16_t>(o.layout.offset, 1); });
    out.offer_operand(k, [](Operand& o) { o.guard = Guard::kRight; });
    out.offer_operand(k, [](Operand& o) { std::ranges::sort(o.layout.order); });
    for (std::size_t d = 0; d < layout.dims.size(); ++d) {
      out.offer_operand(k, [&](Operand& o) { o.layout.dims[d] = DimLayout{}; });
      out.offer_operand(k, [&](Operand& o) { o.layout.dims[d].step = 1; });
      out.offer_operand(k, [&](Operand& o) {
        o.layout.dims[d].step = std::min<std::int16_t>(o.layout.dims[d].step, 2);
      });
      out.offer_operand(k, [&](Operand& o) { o.layout.dims[d].before = 0; });
      out.offer_operand(k, [&](Operand& o) { o.layout.dims[d].after = 0; });
      out.offer_operand(k, [&](Operand& o) {
        o.layout.dims[d].before = std::min<std::int16_t>(o.layout.dims[d].before, 1);
      });
      out.offer_operand(k, [&](Operand& o) {
        o.layout.dims[d].after = std::min<std::int16_t>(o.layout.dims[d].after, 1);
      });
      out.offer_operand(
          k, [&](Operand& o) { o.layout.dims[d].expanded = o.layout.dims[d].slides = false; });
    }
  }
}

/// One plain trait in place of all that an operand's layout has: where any layout but the
/// contiguous one fails, all such cases end as the same one.
void offer_plain_layouts(const Case& c, Candidates& out) {
  for (std::size_t k = 0; k < c.operands.size(); ++k) {
    if (is_contiguous(c.operands[k].layout)) continue;
    const auto offer = [&](auto&& change) {
      out.offer_operand(k, [&](Operand& o) {
        o.fill.repeats = 0;
        o.layout = contiguous_layout(rank(o.shape));
        change(o);
      });
    };
    offer([](Operand& o) { o.layout.offset = 1; });
    for (std::size_t d = c.operands[k].shape.size(); d-- > 0;) {
      offer([&](Operand& o) { o.layout.dims[d].after = 1; });
      offer([&](Operand& o) { o.layout.dims[d].step = 2; });
      offer([&](Operand& o) { o.layout.dims[d].expanded = true; });
      if (d > 0) offer([&](Operand& o) { std::swap(o.layout.order[d - 1], o.layout.order[d]); });
    }
  }
}

void offer_fills(const Case& c, Candidates& out) {
  for (std::size_t k = 0; k < c.operands.size(); ++k) {
    const Fill& fill = c.operands[k].fill;
    out.offer_operand(k, [](Operand& o) {
      o.fill = Fill{plainest(o.fill.kind), Negatives::kNone, 0, 0, o.fill.popcount};
    });
    switch (family(fill.kind)) {
      case FillFamily::kValue:
        for (const FillKind kind : {FillKind::kIndex, FillKind::kOnes, FillKind::kHash1}) {
          out.offer_operand(k, [&](Operand& o) { o.fill.kind = kind; });
        }
        break;
      case FillFamily::kIndex:
        for (const FillKind kind : {FillKind::kFirst, FillKind::kLast, FillKind::kAscending,
                                    FillKind::kDescending, FillKind::kRandom1, FillKind::kFew1}) {
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
  for (const Dtype plain : {Dtype::kFloat, Dtype::kInt64, Dtype::kDouble}) {
    out.offer([&](Case& candidate) {
      for (Operand& operand : candidate.operands) {
        if (family(operand.fill.kind) == FillFamily::kValue) operand.dtype = plain;
      }
    });
  }
  for (std::size_t k = 0; k < c.operands.size(); ++k) {
    switch (family(c.operands[k].fill.kind)) {
      case FillFamily::kValue: break;
      case FillFamily::kIndex:
        out.offer_operand(k, [](Operand& o) { o.dtype = Dtype::kInt64; });
        break;
      case FillFamily::kMask:
        out.offer_operand(k, [](Operand& o) { o.dtype = Dtype::kBool; });
        break;
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

void offer_attributes(const Case& c, Candidates& out) {
  for (std::size_t a = 0; a < c.attributes.size(); ++a) {
    const std::int64_t value = c.attributes[a];
    if (value == kNoInt) {
      out.offer([&](Case& candidate) { candidate.attributes[a] = 0; });
      continue;
    }
    for (const std::int64_t other :
         {std::int64_t{0}, value / 2,
          value < 0 ? value + std::max(rank(c.operands[0].shape), 1) : value - 1}) {
      if (value != 0) out.offer([&](Case& candidate) { candidate.attributes[a] = other; });
    }
  }
}

}  // namespace

std::vector<Case> shrink_candidates(const Case& c, const Limits& limits) {
  Candidates out(c, limits);
  out.offer([](Case& candidate) {
    for (Operand& operand : candidate.operands) make_contiguous(operand);
  });
  offer_environments(c, out);
  offer_shapes(c, out);
  offer_lists(c, out);
  offer_layouts(c, out);
  offer_plain_layouts(c, out);
  offer_fills(c, out);
  offer_dtypes(c, out);
  offer_attributes(c, out);
  offer_trades(c, out);
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
