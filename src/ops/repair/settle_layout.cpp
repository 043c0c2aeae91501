#include "ops/repair/settle_layout.h"

#include <algorithm>

namespace indexfuzz {

namespace {

/// Drops dimensions that are gone from the order, and appends new ones.
void fit_order(Layout& layout, std::size_t rank) {
  if (layout.order.size() != rank) {
    layout.order.erase(std::remove_if(layout.order.begin(), layout.order.end(),
                                      [&](std::uint8_t d) { return d >= rank; }),
                       layout.order.end());
    for (std::size_t d = layout.order.size(); d < rank; ++d)
      layout.order.push_back(static_cast<std::uint8_t>(d));
  }
  layout.dims.resize(rank);
}

/// Clears the traits of each dimension that do not fit its size or its neighbour in memory.
void fit_dims(Layout& layout, const Dims& shape) {
  const std::size_t rank = shape.size();
  for (std::size_t p = 0; p < rank; ++p) {
    DimLayout& dim = layout.dims[layout.order[p]];
    if (dim.slides) {
      // A sliding dimension needs a successor in memory that neither slides nor is expanded, and
      // has no trait of its own but the step.
      dim.slides = p + 1 < rank && !layout.dims[layout.order[p + 1]].expanded &&
                   !layout.dims[layout.order[p + 1]].slides && shape[layout.order[p]] > 0;
      if (dim.slides) dim = {dim.step, 0, 0, false, true};
    }
    if (dim.expanded) dim = {1, 0, 0, true, false};
    // With a single element a step is kept: it changes the stride, on which nothing should depend.
    if (shape[layout.order[p]] < 1 && !dim.slides) dim.step = 1;
  }
}

/// Every expanded dimension repeats. A sliding dimension and its successor share values by address,
/// which repeating one of them would contradict.
std::uint16_t fit_repeats(std::uint16_t repeats, const Layout& layout) {
  const std::size_t rank = layout.dims.size();
  std::uint32_t fitting = repeats & ((1u << rank) - 1);
  for (std::size_t d = 0; d < rank; ++d) {
    if (layout.dims[d].expanded) fitting |= 1u << d;
  }
  for (std::size_t p = 0; p + 1 < rank; ++p) {
    if (layout.dims[layout.order[p]].slides)
      fitting &= ~((1u << layout.order[p]) | (1u << layout.order[p + 1]));
  }
  return static_cast<std::uint16_t>(fitting);
}

bool is_too_large(const Operand& operand, const Limits& limits) {
  const std::int64_t most =
      limits.max_storage_bytes / static_cast<std::int64_t>(item_size(operand.dtype));
  std::int64_t product = 1;
  for (const BaseDim& base : base_of(operand.shape, operand.layout)) {
    product *= std::max<std::int64_t>(base.length, 1);
    if (product > most) return true;
  }
  return operand.layout.offset + product > most;
}

}  // namespace

void settle_layout(Operand& operand, const Limits& limits, Overlap allowed) {
  Layout& layout = operand.layout;
  const std::size_t rank = operand.shape.size();
  if (!limits.strided) make_contiguous(layout, static_cast<int>(rank));
  // A shortcut for the many operands that have nothing to settle.
  if (layout.dims.size() == rank && layout.order.size() == rank && is_contiguous(layout)) {
    operand.fill.repeats &= static_cast<std::uint16_t>((1u << rank) - 1);
    return;
  }
  fit_order(layout, rank);
  layout.offset = std::clamp<std::int16_t>(layout.offset, 0, 4096);
  for (DimLayout& dim : layout.dims) {
    dim.step = std::clamp<std::int16_t>(dim.step, 1, 64);
    dim.before = std::clamp<std::int16_t>(dim.before, 0, 256);
    dim.after = std::clamp<std::int16_t>(dim.after, 0, 256);
    if (!limits.expanded || allowed == Overlap::kNone) dim.expanded = false;
    if (!limits.overlapping || allowed != Overlap::kAny) dim.slides = false;
  }
  fit_dims(layout, operand.shape);
  operand.fill.repeats = fit_repeats(operand.fill.repeats, layout);
  if (is_contiguous(layout) || !is_too_large(operand, limits)) return;
  for (DimLayout& dim : layout.dims) dim.step = 1, dim.before = 0, dim.after = 0;
  layout.offset = 0;
  if (is_too_large(operand, limits)) layout = contiguous_layout(static_cast<int>(rank));
}

std::int64_t distinct_values(const Operand& operand) {
  std::int64_t count = 1;
  for (std::size_t d = 0; d < operand.shape.size(); ++d) {
    if (!((operand.fill.repeats >> d) & 1)) count *= operand.shape[d];
  }
  return count;
}

}  // namespace indexfuzz
