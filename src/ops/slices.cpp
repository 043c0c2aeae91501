#include "ops/slices.h"

namespace indexfuzz {
namespace {

void resize_dimension(Operand& operand, int dim) {
  std::int64_t& size = operand.shape[static_cast<std::size_t>(dim)];
  size += size > 1 ? -1 : 1;
  operand.layout = contiguous_layout(rank(operand.shape));
  operand.fill.repeats = 0;
}

}  // namespace

void fit_slice_index(Dims& index, const Dims& self, int dim, const Limits& limits) {
  clamp_shape(index, 1, limits.max_elements);
  if (size_at(self, dim) == 0) index = {0};
  // Duplicates may name more slices than self has.
  while (!index.empty() && index[0] > 0) {
    const Dims named = with_slices(self, dim, index[0]);
    Dims fitting = named;
    clamp_shape(fitting, kMaxDims, limits.max_elements);
    if (fitting == named) break;
    index[0] /= 2;
  }
}

Dims with_slices(Dims shape, int dim, std::int64_t count) {
  if (shape.empty()) return {count};
  shape[static_cast<std::size_t>(dim)] = count;
  return shape;
}

bool writes_slices(const Case& c, int index) {
  return numel(c.operands[0].shape) > 0 &&
         numel(c.operands[static_cast<std::size_t>(index)].shape) > 0;
}

bool change_slice_count(Case& c, int source, int dim) {
  Operand& operand = c.operands[static_cast<std::size_t>(source)];
  if (operand.shape.empty()) return false;
  resize_dimension(operand, dim);
  return true;
}

bool change_slice_shape(Case& c, int source, int dim) {
  Operand& operand = c.operands[static_cast<std::size_t>(source)];
  if (rank(operand.shape) < 2) return false;
  resize_dimension(operand, dim == 0 ? 1 : 0);
  return true;
}

}  // namespace indexfuzz
