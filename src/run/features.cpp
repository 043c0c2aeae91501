#include "run/features.h"

#include <algorithm>
#include <bit>

#include "case/number.h"

namespace indexfuzz {
namespace {

alignas(64) __attribute__((section("__libfuzzer_extra_counters"))) std::uint8_t counters[kFeatures];

/// What a feature is about; part of its hash.
enum class About : std::uint64_t {
  kDtype,
  kLayout,
  kRank,
  kElements,
  kInnermost,
  kBound,
  kFill,
  kRule,
  kAttribute,
  kLayoutPair,
  kDtypeLayout,
  kFillLayout,
  kOutcome,
  kOutcomeDtype,
};

/// Counts features of one form of an operator.
class Counting {
 public:
  explicit Counting(const Case& c)
      : form_(hash1(std::uint64_t{c.op} << 16 | std::uint64_t{c.overload} << 8 |
                        static_cast<std::uint64_t>(c.variant),
                    0)) {}
  void operator()(About about, std::uint64_t a, std::uint64_t b = 0, std::uint64_t c = 0) const {
    const std::uint64_t what = static_cast<std::uint64_t>(about) | a << 8 | b << 24 | c << 44;
    counters[hash1(what, form_) % kFeatures] = 1;
  }

 private:
  std::uint64_t form_;
};

/// Sizes by powers of two, and whether one stands right at one or beside it.
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

/// The traits of a layout as bits.
std::uint64_t layout_class(const Operand& operand) {
  const Layout& layout = operand.layout;
  std::uint64_t bits = (layout.offset > 0 ? 1u : 0u) | (operand.guard == Guard::kLeft ? 2u : 0u);
  for (std::size_t d = 0; d < layout.dims.size(); ++d) {
    const DimLayout& dim = layout.dims[d];
    const bool innermost = d + 1 == layout.dims.size();
    bits |= (layout.order[d] != d ? 4u : 0u) | (dim.step > 1 ? (innermost ? 8u : 16u) : 0u) |
            (dim.before > 0 || dim.after > 0 ? 32u : 0u) | (dim.slides ? 64u : 0u) |
            (dim.expanded ? (innermost ? 128u : 256u) : 0u);
  }
  return bits;
}

std::uint64_t fill_class(const Fill& fill) {
  const std::uint64_t popcount =
      family(fill.kind) == FillFamily::kMask ? std::min(fill.popcount, 3u) : 0;
  return static_cast<std::uint64_t>(fill.kind) | static_cast<std::uint64_t>(fill.negatives) << 6 |
         (fill.repeats != 0 ? 1u : 0u) << 8 | popcount << 9;
}

void count_operand(const Counting& count, const Case& c, std::size_t k) {
  const Operand& operand = c.operands[k];
  // All entries of a list have one role, which of them it is aside from the first.
  const std::uint64_t role = std::min<std::size_t>(k, overload_of(c).operands.size());
  const auto dtype = static_cast<std::uint64_t>(operand.present ? operand.dtype : Dtype{31});
  count(About::kDtype, role, dtype);
  if (!operand.present) return;
  const std::uint64_t layout = layout_class(operand), fill = fill_class(operand.fill);
  count(About::kLayout, role, layout);
  count(About::kDtypeLayout, role, dtype, layout & ~std::uint64_t{3});
  count(About::kRank, role, operand.shape.size(), layout & 0x1FC);
  count(About::kElements, role, size_class(numel(operand.shape)));
  if (!operand.shape.empty())
    count(About::kInnermost, role, size_class(operand.shape.back()), operand.shape.size() == 1);
  count(About::kFill, role, fill, dtype);
  count(About::kFillLayout, role, fill, layout & ~std::uint64_t{3});
  if (family(operand.fill.kind) == FillFamily::kIndex) {
    const std::int64_t bound = operator_of(c).index_bound(c, static_cast<int>(k));
    count(About::kBound, role, size_class(std::max<std::int64_t>(bound, 0)));
  }
  for (std::size_t other = 0; other < k; ++other) {
    if (!c.operands[other].present) continue;
    count(About::kLayoutPair, k << 4 | other, layout & ~std::uint64_t{3},
          layout_class(c.operands[other]) & ~std::uint64_t{3});
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

void count_features(const Case& c) {
  const Counting count(c);
  for (std::size_t k = 0; k < c.operands.size(); ++k) count_operand(count, c, k);
  const auto attributes = overload_of(c).attributes;
  for (std::size_t a = 0; a < attributes.size(); ++a)
    count(About::kAttribute, a, attribute_class(c.attributes[a]), c.operands[0].shape.size());
  count(About::kRule, c.breaks);
}

void count_outcomes(const Case& c, std::span<const CallOutcome> outcomes) {
  const Counting count(c);
  for (const CallOutcome& call : outcomes) {
    const std::uint64_t how = static_cast<std::uint64_t>(call.outcome) |
                              static_cast<std::uint64_t>(call.status) << 4 |
                              static_cast<std::uint64_t>(call.kind) << 8;
    count(About::kOutcome, call.implementation, how, call.error_class & 0xFFFFF);
    count(About::kOutcomeDtype, call.implementation, how,
          static_cast<std::uint64_t>(c.operands[0].dtype));
  }
}

}  // namespace indexfuzz
