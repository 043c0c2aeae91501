#include "run/coverage/features.h"

#include <algorithm>
#include <bit>

#include "case/number.h"
#include "ops/definition/operator.h"

namespace indexfuzz {
namespace {

alignas(64) __attribute__((section("__libfuzzer_extra_counters"))) std::uint8_t counters[kFeatures];

/// What a feature is about; part of its hash.
enum class About : std::uint64_t {
  kLayout,
  kRank,
  kElements,
  kInnermost,
  kBound,
  kFill,
  kAttribute,
  kLayoutPair,
  kDtypeLayout,
  kFillLayout,
  kFormDtype,
  kFormLayout,
  kFormRank,
  kRule,
  kOutcome,
  kOutcomeDtype,
};

void count(const Case& c, About about, std::uint64_t a, std::uint64_t b = 0, std::uint64_t d = 0) {
  const std::uint64_t what = static_cast<std::uint64_t>(about) | a << 8 | b << 24 | d << 44;
  counters[hash1(what, c.op) % kFeatures] = 1;
}

std::uint64_t form_class(const Case& c) {
  return std::uint64_t{c.overload} << 2 | static_cast<std::uint64_t>(c.variant);
}

/// Sizes by powers of two, and whether a size is a power of two or next to one.
std::uint64_t size_class(std::int64_t size) {
  const auto value = static_cast<std::uint64_t>(size);
  if (value < 4) return value;
  const auto power = static_cast<std::uint64_t>(std::bit_width(value));
  const std::uint64_t floor = std::uint64_t{1} << (power - 1);
  const std::uint64_t place = value == floor           ? 0
                              : value == floor + 1     ? 1
                              : value == 2 * floor - 1 ? 2
                                                       : 3;
  return power << 2 | place;
}

/// Layouts that lead to different paths through a kernel, the plainest first.
enum Shape : std::uint64_t {
  kContiguous,
  kOffset,
  kDense,     ///< permuted and nothing else, as channels-last tensors are
  kPermuted,  ///< and with an offset
  kSliced,
  kExpanded,
  kRows,  ///< all dimensions are expanded but one
  kOverlapping
};

struct LayoutClass {
  std::uint64_t traits = 0;  ///< one bit each
  Shape shape = kContiguous;
};

LayoutClass layout_class(const Operand& operand) {
  const Layout& layout = operand.layout;
  LayoutClass result;
  const auto add = [&](bool holds, int bit, Shape shape) {
    if (!holds) return;
    result.traits |= std::uint64_t{1} << bit;
    result.shape = std::max(result.shape, shape);
  };
  add(operand.guard == Guard::kLeft, 0, kContiguous);
  add(layout.offset > 0, 1, kOffset);
  add(operand.slices == SlicePlacement::kApartBy2To31, 9, kSliced);
  add(operand.slices == SlicePlacement::kApartBy2To30, 10, kSliced);
  add(are_last(operand.slices), 11, kSliced);
  std::size_t expanded = 0;
  for (std::size_t d = 0; d < layout.dims.size(); ++d) {
    const DimLayout& dim = layout.dims[d];
    const bool innermost = d + 1 == layout.dims.size();
    expanded += dim.expanded ? 1 : 0;
    add(layout.order[d] != d, 2, kDense);
    add(dim.before > 0 || dim.after > 0, 3, kSliced);
    add(dim.step > 1, innermost ? 4 : 5, kSliced);
    add(dim.expanded, innermost ? 6 : 7, kExpanded);
    add(dim.slides, 8, kOverlapping);
  }
  if (result.shape == kDense && layout.offset > 0) result.shape = kPermuted;
  if (result.shape == kExpanded && expanded + 1 == layout.dims.size()) result.shape = kRows;
  return result;
}

std::uint64_t fill_class(const Fill& fill) {
  const std::uint64_t popcount =
      family(fill.kind) == FillFamily::kMask ? std::min(fill.popcount, 3u) : 0;
  return static_cast<std::uint64_t>(fill.kind) | static_cast<std::uint64_t>(fill.negatives) << 6 |
         (fill.repeats != 0 ? 1u : 0u) << 8 | popcount << 9;
}

void count_operand(const Case& c, std::size_t k) {
  const Operand& operand = c.operands[k];
  const std::uint64_t form = form_class(c);
  const auto dtype = static_cast<std::uint64_t>(operand.present ? operand.dtype : Dtype{31});

  count(c, About::kFormDtype, k, dtype, form);
  if (!operand.present) return;
  const LayoutClass layout = layout_class(operand);
  const std::uint64_t rank = operand.shape.size();
  count(c, About::kLayout, k, layout.traits);
  count(c, About::kFormLayout, k, layout.shape, form);
  count(c, About::kDtypeLayout, k, dtype, layout.shape);
  count(c, About::kRank, k, rank, layout.shape);
  count(c, About::kFormRank, k, rank, form);
  count(c, About::kElements, k, size_class(numel(operand.shape)));
  if (rank > 0) count(c, About::kInnermost, k, size_class(operand.shape.back()), rank == 1);
  count(c, About::kFill, k, fill_class(operand.fill));
  count(c, About::kFillLayout, k, static_cast<std::uint64_t>(operand.fill.kind), layout.shape);
  if (family(operand.fill.kind) == FillFamily::kIndex) {
    const std::int64_t bound = operator_of(c).index_bound(c, static_cast<int>(k));
    count(c, About::kBound, k, size_class(std::max<std::int64_t>(bound, 0)));
  }
  for (std::size_t other = 0; other < k; ++other) {
    if (!c.operands[other].present) continue;
    count(c, About::kLayoutPair, k << 4 | other, layout.shape,
          layout_class(c.operands[other]).shape);
  }
}

std::uint64_t attribute_class(std::int64_t value) {
  return value == kNoInt ? 32
                         : static_cast<std::uint64_t>(std::clamp<std::int64_t>(value, -8, 8) + 8);
}

}  // namespace

std::span<std::uint8_t> feature_counters() {
  return counters;
}

void count_no_case() {
  counters[0] = 1;
}

void count_features(const Case& c) {
  for (std::size_t k = 0; k < c.operands.size(); ++k) count_operand(c, k);
  const auto attributes = overload_of(c).attributes;
  for (std::size_t a = 0; a < attributes.size(); ++a)
    count(c, About::kAttribute, a, attribute_class(c.attributes[a]), c.operands[0].shape.size());
  count(c, About::kRule, c.breaks, form_class(c));
}

void count_outcomes(const Case& c, std::span<const CallOutcome> outcomes) {
  const auto dtype = static_cast<std::uint64_t>(c.operands[0].dtype);
  for (const CallOutcome& call : outcomes) {
    const std::uint64_t how = static_cast<std::uint64_t>(call.outcome) |
                              static_cast<std::uint64_t>(call.status) << 4 |
                              static_cast<std::uint64_t>(call.kind) << 8;
    count(c, About::kOutcome, call.implementation, how,
          form_class(c) << 12 | (call.error_class & 0xFFF));
    count(c, About::kOutcomeDtype, call.implementation, how, dtype);
  }
}

}  // namespace indexfuzz
