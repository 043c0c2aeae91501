#include "shrink/measure.h"

#include <algorithm>
#include <cstdlib>

#include "case/dim_set.h"
#include "ops/definition/operator.h"
#include "shrink/shrink.h"

namespace indexfuzz {
namespace {

/// If several plain traits each suffice for the failure, the case ends with the lightest: a storage
/// offset before a gap before a step. A guard page behind the operand is heavier than each of them
/// (see measure()): only an access beyond the operand needs it.
std::int64_t layout_weight(const Layout& layout) {
  std::int64_t weight = layout.offset > 0 ? 3 + layout.offset : 0;
  for (std::size_t d = 0; d < layout.dims.size(); ++d) {
    const DimLayout& dim = layout.dims[d];
    if (layout.order[d] != d) weight += 8;
    if (dim.step > 1) weight += 8 + dim.step;
    if (dim.before > 0) weight += 4 + dim.before;
    if (dim.after > 0) weight += 4 + dim.after;
    if (dim.expanded) weight += 16;
    if (dim.slides) weight += 32;
  }
  return weight;
}

/// Plain fills first; the rest in the order of the enumeration. The plainest factor is 1.
std::int64_t fill_weight(const Fill& fill, bool is_factor) {
  std::int64_t weight = 0;
  switch (fill.kind) {
    case FillKind::kIndex: weight = is_factor ? 1 : 0; break;
    case FillKind::kOnes: weight = is_factor ? 0 : 1; break;
    case FillKind::kFirst:
    case FillKind::kMaskFront: break;
    case FillKind::kSums1:
    case FillKind::kLone1:
    case FillKind::kProducts1: weight = 1; break;
    case FillKind::kLast: weight = 2; break;
    case FillKind::kAscending: weight = 3; break;
    case FillKind::kDescending: weight = 4; break;
    case FillKind::kCounts1: weight = 5; break;
    default: weight = 8 + static_cast<std::int64_t>(fill.kind); break;
  }
  if (fill.negatives != Negatives::kNone) weight += fill.negatives == Negatives::kAll ? 50 : 60;
  if (fill.repeats != 0) weight += 100 + fill.repeats;
  return weight * 1'000'000'000'000 + static_cast<std::int64_t>(fill.popcount) * 100'000 +
         (fill.seed == 0  ? 0
          : fill.seed < 8 ? fill.seed
                          : 9);
}

constexpr std::array kDtypesOfValues{
    Dtype::kFloat,        Dtype::kInt64,        Dtype::kDouble,         Dtype::kInt32,
    Dtype::kHalf,         Dtype::kComplexFloat, Dtype::kBool,           Dtype::kUInt8,
    Dtype::kBFloat16,     Dtype::kInt16,        Dtype::kInt8,           Dtype::kComplexDouble,
    Dtype::kComplexHalf,  Dtype::kUInt16,       Dtype::kUInt32,         Dtype::kUInt64,
    Dtype::kFloat8E4M3FN, Dtype::kFloat8E5M2,   Dtype::kFloat8E4M3FNUZ, Dtype::kFloat8E5M2FNUZ};
static_assert(kDtypesOfValues.size() == kDtypeCount);
static_assert(kDtypesOfValues.front() == plainest_dtype(FillFamily::kValue));
constexpr std::array kDtypesOfIndices{Dtype::kInt64, Dtype::kInt32, Dtype::kUInt8, Dtype::kInt16,
                                      Dtype::kInt8};
static_assert(kDtypesOfIndices.front() == plainest_dtype(FillFamily::kIndex));
/// nonzero takes any dtype for a mask.
constexpr std::array kDtypesOfMasks = [] {
  auto all = kDtypesOfValues;
  const auto place = std::ranges::find(all, plainest_dtype(FillFamily::kMask));
  std::rotate(all.begin(), place, place + 1);
  return all;
}();

std::int64_t dtype_weight(const Operand& operand) {
  const auto dtypes = plainest_dtypes(family(operand.fill.kind));
  return std::ranges::find(dtypes, operand.dtype) - dtypes.begin();
}

/// How far a value lies from the plainest one; of two equally far ones the negative is heavier.
std::int64_t attribute_weight(AttributeType type, std::int64_t value, std::int64_t plain) {
  if (is_optional(type)) {
    if (value == kNoInt) return 1;
    if (plain == kNoInt) plain = 0;
  }
  // Beyond 32 bits coarsely, so that no sum overflows.
  constexpr std::int64_t kFine = std::int64_t{1} << 32;
  const std::int64_t size = value < 0 ? -(value + 1) : value;
  const std::int64_t distance = size < kFine ? std::abs(value - plain) : kFine + size / 256;
  return 2 * distance + (value < 0 ? 1 : 0);
}

/// The fewer dimensions the lighter; of two spellings the one from the end is heavier.
std::int64_t dims_weight(std::int64_t set) {
  std::int64_t weight = 0;
  for (const std::int64_t dim : dims_of(set)) weight += dim < 0 ? 2 * kMaxDims : kMaxDims + dim;
  return weight;
}

}  // namespace

std::span<const Dtype> plainest_dtypes(FillFamily family) {
  switch (family) {
    case FillFamily::kValue: return kDtypesOfValues;
    case FillFamily::kIndex: return kDtypesOfIndices;
    case FillFamily::kMask: return kDtypesOfMasks;
  }
  return kDtypesOfValues;
}

Measure measure(const Case& c) {
  Measure m{};
  m[0] = total_elements(c);
  // An `out` that fits is simpler than one of another shape that holds elements.
  if (const Operand& last = c.operands.back(); last.own_shape && numel(last.shape) > 0)
    m[0] += numel(operator_of(c).result(c).shape);
  for (std::size_t k = 0; k < c.operands.size(); ++k) {
    const Operand& operand = c.operands[k];
    m[1] += rank(operand.shape);
    // m[0] does not tell empty shapes apart: in these, the plainest size is 1.
    if (numel(operand.shape) == 0) {
      for (const std::int64_t size : operand.shape) m[1] += std::max<std::int64_t>(size - 1, 0);
    }
    m[2] += operand.present ? 2 : 1;
    m[3] += layout_weight(operand.layout) + (operand.guard == Guard::kRight ? 128 : 0) +
            (operand.slices != SlicePlacement::kByLayout ? 64 : 0) +
            (operand.slices > SlicePlacement::kApartBy2To31 ? 8 : 0) +
            (operand.slices == SlicePlacement::kLastBehind2To32 ? 4 : 0) +
            (operand.on_host ? 16 : 0);
    m[4] += fill_weight(operand.fill, spec_of(c, static_cast<int>(k)).is_factor);
    m[5] += dtype_weight(operand);
  }
  m[6] += c.environment.threads - 1 + (c.environment.capability == Capability::kNative ? 0 : 1);
  for (const GpuSetting& setting : kGpuSettings) m[6] += c.gpu.*setting.is_on ? 4 : 0;
  for (std::size_t a = 0; a < c.attributes.size(); ++a) {
    const std::int64_t value = c.attributes[a], plain = plain_value(c, a);
    if (value == plain) continue;
    const AttributeType type = overload_of(c).attributes[a].type;
    m[6] +=
        type == AttributeType::kDims ? dims_weight(value) : attribute_weight(type, value, plain);
  }
  return m;
}

bool simpler(const Case& a, const Case& b) {
  return measure(a) < measure(b);
}

}  // namespace indexfuzz
