#include "ops/repair/narrow.h"

#include <algorithm>

#include "case/far_slices.h"
#include "ops/contract/keeps.h"
#include "ops/contract/values.h"
#include "ops/definition/operator.h"
#include "ops/repair/clamp.h"

namespace indexfuzz {
namespace {

void narrow_rank(const Range& ranks, Operand& operand) {
  const auto wanted =
      static_cast<std::size_t>(nearest(ranks, static_cast<std::int64_t>(operand.shape.size())));
  while (operand.shape.size() > wanted) drop_dimension(operand, 0);
  while (operand.shape.size() < wanted && operand.shape.size() < kMaxDims)
    insert_dimension(operand, 0, 1);
}

/// Gives dimensions size 1 where the terms would have more elements than can be counted; no case
/// keeps such terms.
void keep_countable(Dims& shape) {
  constexpr std::int64_t kMost = std::int64_t{1} << 40;
  std::int64_t elements = 1;
  for (std::int64_t& size : shape) {
    if (size > kMost / elements) size = 1;
    elements *= std::max<std::int64_t>(size, 1);
  }
}

/// Makes the tensor larger along its last dimension or smaller along its largest ones, in steps
/// that keep the terms about sizes.
void narrow_elements(const TensorTerms& terms, Dims& shape) {
  if (shape.empty()) return;
  const std::int64_t step = terms.size.multiple_of;
  while (numel(shape) > terms.elements.most) {
    std::int64_t& largest = *std::ranges::max_element(shape);
    const std::int64_t smaller = nearest(terms.size, largest / 2);
    if (smaller >= largest) break;
    largest = smaller;
  }
  const std::int64_t others = numel({shape.begin(), shape.end() - 1});
  if (others == 0) return;
  const std::int64_t last_step = std::max(step, terms.last_size.multiple_of);
  for (int tries = 0; tries < 64 && !holds(terms.elements, numel(shape)); ++tries) {
    if (numel(shape) > terms.elements.most) break;
    shape.back() += last_step;
    keep_countable(shape);
  }
}

void narrow_strides(const TensorTerms& terms, Operand& operand) {
  Layout& layout = operand.layout;
  const std::size_t rank = operand.shape.size();
  const bool is_dense = terms.strides >= Strides::kDense;
  for (DimLayout& dim : layout.dims) {
    if (is_dense) dim = {};
    if (!terms.expanded) dim.expanded = false;
    if (!terms.overlapping) dim.slides = false;
  }
  if (is_dense && are_apart(operand.slices)) operand.slices = SlicePlacement::kByLayout;
  if (terms.strides == Strides::kContiguous) {
    std::ranges::sort(layout.order);
  } else if (terms.strides == Strides::kRows && rank > 0) {
    const auto last = std::ranges::find(layout.order, rank - 1);
    std::rotate(last, last + 1, layout.order.end());
    DimLayout& dim = layout.dims[rank - 1];
    dim.step = 1;
    dim.expanded = dim.slides = false;
  }
}

void narrow_alignment(std::int64_t alignment, Operand& operand) {
  const auto item = static_cast<std::int64_t>(item_size(operand.dtype));
  if (alignment <= item) return;
  operand.guard = Guard::kLeft;
  for (DimLayout& dim : operand.layout.dims) dim.before = 0;
  operand.layout.offset =
      static_cast<std::int16_t>(operand.layout.offset - operand.layout.offset % (alignment / item));
}

/// A table of many elements may be larger than the terms allow.
void narrow_table(const TensorTerms& terms, Operand& operand) {
  if (!are_last(operand.slices)) return;
  const Dims shape = called_shape(operand);
  const bool fits =
      !shape.empty() && holds(terms.elements, numel(shape)) &&
      holds(terms.last_size, shape.back()) &&
      std::ranges::all_of(shape, [&](std::int64_t size) { return holds(terms.size, size); });
  if (!fits) operand.slices = SlicePlacement::kByLayout;
}

void narrow_positions(const TensorTerms& terms, const Case& legal, int k, Operand& operand) {
  if (!terms.negative) operand.fill.negatives = Negatives::kNone;
  if (terms.duplicates || family(operand.fill.kind) != FillFamily::kIndex) return;
  const std::int64_t bound = operator_of(legal).index_bound(legal, k);
  if (operand.fill.kind != FillKind::kAscending && operand.fill.kind != FillKind::kDescending)
    operand.fill.kind = FillKind::kDistinct1;
  operand.fill.repeats = 0;
  for (DimLayout& dim : operand.layout.dims) dim.expanded = dim.slides = false;
  for (std::int64_t& size : operand.shape) {
    if (numel(operand.shape) > bound)
      size = std::min<std::int64_t>(size, std::max<std::int64_t>(bound, 1));
  }
  for (std::int64_t& size : operand.shape) {
    if (numel(operand.shape) > bound) size = 1;
  }
}

void narrow_operand(const TensorTerms& terms, const Case& legal, int k, Operand& operand) {
  clamp_dtype(operand.dtype, terms.dtypes);
  if (!holds(terms.rank, static_cast<std::int64_t>(operand.shape.size())))
    narrow_rank(terms.rank, operand);
  for (std::int64_t& size : operand.shape) size = nearest(terms.size, size);
  if (!operand.shape.empty()) operand.shape.back() = nearest(terms.last_size, operand.shape.back());
  keep_countable(operand.shape);
  if (!holds(terms.elements, numel(operand.shape))) narrow_elements(terms, operand.shape);
  narrow_positions(terms, legal, k, operand);
  narrow_strides(terms, operand);
  narrow_table(terms, operand);
  narrow_alignment(terms.alignment, operand);
}

}  // namespace

void narrow(const Contract& contract, Case& c) {
  const Case legal = c;
  for (const ValueTerms& terms : contract.values) give_value(terms, c);
  for (int k = 0; k < static_cast<int>(c.operands.size()); ++k) {
    const TensorTerms* const terms = terms_of(contract, c, k);
    if (terms != nullptr && !keeps(*terms, legal, k))
      narrow_operand(*terms, legal, k, operand_at(c, k));
  }
}

}  // namespace indexfuzz
