#include "ops/repair/clamp.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "ops/numbers/cast.h"

namespace indexfuzz {

void clamp_shape(Dims& shape, int max_rank, std::int64_t max_elements) {
  if (rank(shape) > max_rank) shape.resize(static_cast<std::size_t>(max_rank));
  std::int64_t count = 1;
  for (std::int64_t& size : shape) {
    size = std::clamp<std::int64_t>(size, 0, max_elements);
    // No overflow: `count` and `size` are at most max_elements, hence at most kMostElements.
    while (count * std::max<std::int64_t>(size, 1) > max_elements) size /= 2;
    count *= std::max<std::int64_t>(size, 1);
  }
}

bool is_within(const Dims& shape, const Limits& limits) {
  Dims clamped = shape;
  clamp_shape(clamped, kMaxDims, limits.max_elements);
  return clamped == shape;
}

void clamp_to_nothing(Dims& shape) {
  if (numel(shape) == 0) return;
  if (shape.empty()) shape.push_back(0);
  shape.front() = 0;
}

void hold_elements(Dims& shape, std::int64_t count) {
  if (numel(shape) == count) return;
  if (count == 0) return clamp_to_nothing(shape);
  if (shape.empty()) shape.push_back(1);
  for (std::size_t d = shape.size(); d-- > 1;) {
    std::int64_t size = std::clamp<std::int64_t>(shape[d], 1, count);
    while (count % size != 0) --size;
    shape[d] = size;
    count /= size;
  }
  shape[0] = count;
}

void clamp_dim(std::int64_t& dim, int rank) {
  const std::int64_t r = std::max(rank, 1);
  if (dim < -r || dim >= r) dim = ((dim % r) + r) % r;
}

void clamp_bool(std::int64_t& attribute) {
  attribute = attribute & 1;
}

void clamp_any_int(std::int64_t& attribute) {
  attribute = std::max(attribute, -std::numeric_limits<std::int64_t>::max());
}

void clamp_choice(std::int64_t& attribute, std::size_t count) {
  const auto choices = static_cast<std::int64_t>(count);
  if (attribute < 0 || attribute >= choices) attribute = (attribute % choices + choices) % choices;
}

void clamp_dtype(Dtype& dtype, DtypeSet allowed) {
  if (static_cast<int>(dtype) >= kDtypeCount) dtype = Dtype::kFloat;
  if (contains(allowed, dtype)) return;
  // The next allowed one would stand in for all dtypes between two allowed ones.
  for (int skip = static_cast<int>(dtype) % std::popcount(allowed); skip > 0; --skip)
    allowed &= allowed - 1;
  dtype = static_cast<Dtype>(std::countr_zero(allowed));
}

DtypeSet within(DtypeSet own, const Limits& limits) {
  return (own & limits.dtypes) != 0 ? own & limits.dtypes : own;
}

void clamp_fill(Fill& fill, FillFamily wanted) {
  if (family(fill.kind) != wanted) {
    switch (wanted) {
      case FillFamily::kValue: fill.kind = FillKind::kIndex; break;
      case FillFamily::kIndex: fill.kind = FillKind::kRandom1; break;
      case FillFamily::kMask: fill.kind = FillKind::kMaskSpread1; break;
    }
  }
  // Only where an index operand sorts them, which its operator's file says.
  if (fill.kind == FillKind::kSorted2) fill.kind = FillKind::kSorted1;
  if (fill.kind == FillKind::kSorted4) fill.kind = FillKind::kSorted3;
  // Only for numbers, of which keep_wrapped() tells whether they are altered.
  if (fill.kind == FillKind::kWrapped1) fill.kind = FillKind::kFactor1;
  if (wanted != FillFamily::kIndex) fill.negatives = Negatives::kNone;
  if (wanted != FillFamily::kMask) fill.popcount = 0;
}

void clamp_zero_dim(Operand& value, Dtype target, const Limits& limits) {
  clamp_dtype(value.dtype, limits.dtypes);
  if (is_complex(value.dtype) && !is_complex(target)) value.dtype = target;
  value.shape.clear();
  clamp_fill(value.fill, FillFamily::kValue);
}

void clamp_scalar(Operand& scalar, Dtype target) {
  constexpr DtypeSet kReal = kScalarDtypes & ~set_of(Dtype::kComplexDouble);
  clamp_dtype(scalar.dtype, is_complex(target) ? kScalarDtypes : kReal);
  scalar.shape.clear();
  scalar.layout = contiguous_layout(0);
  scalar.guard = Guard::kLeft;
  const FillKind drawn = scalar.fill.kind;
  clamp_fill(scalar.fill, FillFamily::kValue);
  keep_wrapped(scalar, drawn, target);
}

void keep_wrapped(Operand& scalar, FillKind drawn, Dtype target) {
  if (drawn == FillKind::kWrapped1 && alters_numbers(scalar.dtype, target))
    scalar.fill.kind = drawn;
}

}  // namespace indexfuzz
