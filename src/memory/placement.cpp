#include "memory/placement.h"

#include "ops/definition/operator.h"

namespace indexfuzz {
namespace {

constexpr std::int64_t kStorageAlignment = 64;  // a multiple of every element size

}  // namespace

std::int64_t bytes_behind_guard(const Strided& view, Dtype dtype) {
  return view.storage_offset * static_cast<std::int64_t>(item_size(dtype)) % kStorageAlignment;
}

std::int64_t elements_before_guard(const Strided& view, Dtype dtype, bool whole_storage) {
  if (view.extent == 0) return 0;
  const std::int64_t unit = kStorageAlignment / static_cast<std::int64_t>(item_size(dtype));
  const std::int64_t end =
      whole_storage ? view.storage_elements : view.storage_offset + view.extent;
  return -end & (unit - 1);
}

bool whole_storage_accessible(const Case& c, int operand) {
  return (c.variant == Variant::kOut && operand == written_operand(c)) ||
         spec_of(c, operand).copies_storage;
}

bool heap_flush_left(const Case& c) {
  // Plain cases (Guard::kLeft) have the guard page behind the allocations, where most errors go.
  return !c.operands.empty() && c.operands.front().guard == Guard::kRight;
}

Layout placed_layout(const Case& c, int k) {
  const Operand& operand = operand_at(c, k);
  Layout layout = operand.layout;
  if (!operand.present || operand.guard != Guard::kRight) return layout;
  layout.offset = static_cast<std::int16_t>(
      layout.offset + elements_before_guard(strided(operand.shape, layout), operand.dtype,
                                            whole_storage_accessible(c, k)));
  return layout;
}

Case with_placed_layouts(Case c) {
  for (std::size_t k = 0; k < c.operands.size(); ++k)
    c.operands[k].layout = placed_layout(c, static_cast<int>(k));
  return c;
}

}  // namespace indexfuzz
