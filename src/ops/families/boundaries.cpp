#include "ops/families/boundaries.h"

#include <algorithm>
#include <span>
#include <vector>

#include "ops/fills/sorted_values.h"
#include "ops/illegal/break_shapes.h"
#include "ops/numbers/cast.h"
#include "ops/numbers/promotion.h"
#include "ops/repair/clamp.h"
#include "ops/repair/settle_layout.h"

namespace indexfuzz {
namespace {

constexpr int kOutInt32 = 0;

constexpr DtypeSet kOrdered = kIntegralDtypes | kFloats;

/// Of equal boundaries, whether a value's place is behind the last.
bool finds_last(const Case& c) {
  return c.attributes[boundary::kRight] != 0 || (has_side(c) && c.attributes[boundary::kSide] != 0);
}

/// Gives the values as many rows as the boundaries have, where these may have several.
void fit_rows(Dims& values, const Dims& boundaries, const Limits& limits) {
  if (boundaries.size() == 1) return;
  std::int64_t rows = 1;
  for (std::size_t d = 0; d + 1 < boundaries.size(); ++d)
    rows *= std::max<std::int64_t>(boundaries[d], 1);
  const std::int64_t width = values.empty() ? 1 : values.back();
  values = boundaries;
  values.back() = std::min(width, std::max<std::int64_t>(limits.max_elements / rows, 1));
}

/// How boundaries are filled unless they are all the same.
struct SortedFills {
  FillKind small, special;
};
SortedFills sorted_fills(Searched operands) {
  if (operands.sorter < 0) return {FillKind::kSorted1, FillKind::kSorted3};
  return {FillKind::kSorted2, FillKind::kSorted4};
}

void settle_boundaries(Operand& boundaries, SortedFills sorted, const Limits& limits) {
  FillKind& kind = boundaries.fill.kind;
  clamp_fill(boundaries.fill, FillFamily::kValue);
  switch (kind) {
    case FillKind::kZeros:
    case FillKind::kOnes: break;
    case FillKind::kHash1:
    case FillKind::kSpecial1:
    case FillKind::kSpecial2:
    case FillKind::kSorted3: kind = sorted.special; break;
    default: kind = sorted.small; break;
  }
  // Windows that overlap would not all be sorted.
  settle_layout(boundaries, limits, Overlap::kExpanded);
}

/// Makes each row name every boundary of its row once; rows that share their boundaries also share
/// their order.
void settle_sorter(Operand& sorter, const Operand& boundaries, const Limits& limits) {
  sorter.dtype = Dtype::kInt64;
  sorter.shape = boundaries.shape;
  clamp_fill(sorter.fill, FillFamily::kIndex);
  sorter.fill.negatives = Negatives::kNone;
  switch (sorter.fill.kind) {
    case FillKind::kDescending:
    case FillKind::kDistinct1:
    case FillKind::kDistinct2: break;
    case FillKind::kRandom1:
    case FillKind::kFew1:
    case FillKind::kRuns1: sorter.fill.kind = FillKind::kDistinct2; break;
    default: sorter.fill.kind = FillKind::kAscending; break;
  }
  sorter.fill.repeats |= boundaries.fill.repeats;
  settle_layout(sorter, limits, Overlap::kExpanded);
  const std::size_t last = boundaries.shape.size() - 1;
  sorter.layout.dims[last].expanded = false;
  sorter.fill.repeats &= static_cast<std::uint16_t>(~(1u << last));
  settle_layout(sorter, limits, Overlap::kExpanded);
}

/// `plain` are the values that are searched among such boundaries.
void settle_values(Fill& fill, FillKind plain) {
  clamp_fill(fill, FillFamily::kValue);
  switch (fill.kind) {
    case FillKind::kZeros:
    case FillKind::kOnes:
    case FillKind::kHash1:
    case FillKind::kClose1:
    case FillKind::kSearched2: return;
    case FillKind::kSpecial1:
    case FillKind::kSpecial2: fill.kind = FillKind::kSpecial2; return;
    default: fill.kind = plain; return;
  }
}

/// Gives the operand a fill whose numbers are exact in `wide`, to which it is converted.
void keep_exact(Operand& operand, Dtype wide, FillKind small) {
  if (common_values(operand.dtype, wide) == operand.dtype) return;
  FillKind& kind = operand.fill.kind;
  if (kind != FillKind::kZeros && kind != FillKind::kOnes) kind = small;
  make_sorted_small(operand.fill);
}

/// The elements of an operand, all of them exact in T.
template <typename T>
std::span<const T> widened(const OracleInput& input, int operand, Dtype wide,
                           std::vector<T>& numbers) {
  const LogicalOperand& from = input.operands[static_cast<std::size_t>(operand)];
  numbers.resize(static_cast<std::size_t>(from.count));
  convert(operand_at(input.c, operand).dtype, from.data, wide,
          reinterpret_cast<std::byte*>(numbers.data()), from.count);
  return numbers;
}

/// Puts each row of boundaries into the order of the sorter's.
template <typename T>
void sort_rows(const OracleInput& input, int sorter, std::size_t width, std::vector<T>& numbers) {
  const auto* const order =
      reinterpret_cast<const std::int64_t*>(input.operands[static_cast<std::size_t>(sorter)].data);
  static thread_local std::vector<T> row;
  for (std::size_t first = 0; first < numbers.size(); first += width) {
    row.assign(numbers.begin() + static_cast<std::ptrdiff_t>(first),
               numbers.begin() + static_cast<std::ptrdiff_t>(first + width));
    for (std::size_t i = first; i < first + width; ++i)
      numbers[i] = row[static_cast<std::size_t>(order[i])];
  }
}

template <typename T, typename Place>
void write_places_as(const OracleInput& input, Searched operands, Dtype wide, Place* to) {
  static thread_local std::vector<T> boundary_numbers, value_numbers;
  const auto boundaries = widened<T>(input, operands.boundaries, wide, boundary_numbers);
  const auto values = widened<T>(input, operands.values, wide, value_numbers);
  const Dims& shape = operand_at(input.c, operands.boundaries).shape;
  const Dims& searched = operand_at(input.c, operands.values).shape;
  const auto width = static_cast<std::size_t>(shape.back());
  const bool right = finds_last(input.c);
  if (operands.sorter >= 0) sort_rows(input, operands.sorter, width, boundary_numbers);
  const std::size_t values_of_a_row =
      shape.size() == 1 ? values.size() : static_cast<std::size_t>(searched.back());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto row = boundaries.subspan(i / values_of_a_row * width, width);
    const auto place =
        right ? std::ranges::upper_bound(row, values[i]) : std::ranges::lower_bound(row, values[i]);
    to[i] = static_cast<Place>(place - row.begin());
  }
}

template <typename Place>
void write_places_to(const OracleInput& input, Searched operands, Place* to) {
  if (is_floating_or_complex(searched_dtype(input.c, operands)))
    return write_places_as<double>(input, operands, Dtype::kDouble, to);
  write_places_as<std::int64_t>(input, operands, Dtype::kInt64, to);
}

}  // namespace

bool has_side(const Case& c) {
  return overload_of(c).attributes.size() > boundary::kSide;
}

void repair_searched(Case& c, const Limits& limits, Searched operands, bool rows) {
  Operand& boundaries = operand_at(c, operands.boundaries);
  Operand& values = operand_at(c, operands.values);
  clamp_bool(c.attributes[kOutInt32]);
  clamp_bool(c.attributes[boundary::kRight]);
  if (has_side(c)) {
    clamp_choice(c.attributes[boundary::kSide], std::size(kSides));
    if (c.attributes[boundary::kSide] == 0) c.attributes[boundary::kRight] = 0;
  }
  clamp_dtype(boundaries.dtype, within(kOrdered, limits));
  clamp_shape(boundaries.shape, limits.max_rank, limits.max_elements);
  const bool number = is_number(c, operands.values);
  if (!rows || number || boundaries.shape.empty()) boundaries.shape = {numel(boundaries.shape)};
  const SortedFills sorted = sorted_fills(operands);
  settle_boundaries(boundaries, sorted, limits);
  if (operands.sorter >= 0) {
    settle_sorter(operand_at(c, operands.sorter), boundaries, limits);
  }
  const bool is_special = boundaries.fill.kind == sorted.special;
  const FillKind plain = is_special ? FillKind::kSearched2 : FillKind::kSearched1;
  settle_values(values.fill, plain);
  if (number) {
    clamp_scalar(values, boundaries.dtype);
    // Numbers out of range are for the overloads without side and sorter.
    FillKind& kind = values.fill.kind;
    if ((has_side(c) || operands.sorter >= 0) && kind != FillKind::kSearched2) kind = plain;
    // PyTorch would compare integers with it in its default dtype, which rounds.
    if (!is_floating_or_complex(boundaries.dtype) && values.dtype == Dtype::kDouble)
      values.dtype = Dtype::kInt64;
    return;
  }
  clamp_dtype(values.dtype, within(kOrdered, limits));
  clamp_shape(values.shape, limits.max_rank, limits.max_elements);
  fit_rows(values.shape, boundaries.shape, limits);
  const Dtype wide = searched_dtype(c, operands);
  keep_exact(boundaries, wide, sorted.small);
  keep_exact(values, wide, FillKind::kSearched1);
}

Dtype searched_dtype(const Case& c, Searched operands) {
  const Operand& boundaries = operand_at(c, operands.boundaries);
  const Operand& values = operand_at(c, operands.values);
  if (is_number(c, operands.values))
    return may_exceed_boundaries(c, operands) ? Dtype::kInt64 : boundaries.dtype;
  // All dtypes of kOrdered promote with one another.
  return result_type({boundaries.dtype, Weight::kDimensioned},
                     {values.dtype, values.shape.empty() ? Weight::kZeroDim : Weight::kDimensioned})
      .value();
}

bool may_exceed_boundaries(const Case& c, Searched operands) {
  const Operand& value = operand_at(c, operands.values);
  const Dtype dtype = operand_at(c, operands.boundaries).dtype;
  const FillKind kind = value.fill.kind;
  return is_number(c, operands.values) && value.dtype == Dtype::kInt64 && dtype != Dtype::kInt64 &&
         !is_floating_or_complex(dtype) &&
         (kind == FillKind::kHash1 || kind == FillKind::kClose1 || kind == FillKind::kSpecial2);
}

ResultSpec searched_result(const Case& c, Searched operands) {
  return {operand_at(c, operands.values).shape,
          c.attributes[kOutInt32] != 0 ? Dtype::kInt32 : Dtype::kInt64};
}

void write_places(const OracleInput& input, Searched operands, std::byte* destination) {
  if (input.c.attributes[kOutInt32] != 0)
    write_places_to(input, operands, reinterpret_cast<std::int32_t*>(destination));
  else
    write_places_to(input, operands, reinterpret_cast<std::int64_t*>(destination));
}

bool make_number_of_boundaries(Case& c, int boundaries) {
  return rank(operand_at(c, boundaries).shape) == 1 && remove_dimension(c, boundaries, 1);
}

}  // namespace indexfuzz
