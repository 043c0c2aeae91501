#include "ops/families/slices.h"

#include <algorithm>

#include "ops/families/self_dim.h"
#include "ops/repair/clamp.h"

namespace indexfuzz {

void fit_slice_index(Dims& index, const Dims& self, int dim, const Limits& limits) {
  // An index drawn with a shape like self's keeps the size that stands for the slices.
  if (rank(index) > 1) index = {size_at(index, std::min(dim, rank(index) - 1))};
  clamp_shape(index, 1, limits.max_elements);
  if (size_at(self, dim) == 0) index = {0};
  // Duplicates may name more slices than self has.
  while (!index.empty() && index[0] > 0 && !is_within(with_slices(self, dim, index[0]), limits))
    index[0] /= 2;
}

Dims with_slices(Dims shape, int dim, std::int64_t count) {
  if (shape.empty()) return {count};
  shape[static_cast<std::size_t>(dim)] = count;
  return shape;
}

void fit_slice_source(Case& c, int index, int source, const Limits& limits) {
  const Dims& self = c.operands[0].shape;
  Dims& indices = operand_at(c, index).shape;
  Dims& slices = operand_at(c, source).shape;
  fit_slice_index(indices, self, dim_of(c), limits);
  if (self.empty()) {
    if (numel(indices) != 1) indices = {1};
    slices.clear();
  } else {
    slices = with_slices(self, dim_of(c), numel(indices));
  }
}

bool writes_slices(const Case& c, int index) {
  return numel(c.operands[0].shape) > 0 && numel(operand_at(c, index).shape) > 0;
}

}  // namespace indexfuzz
