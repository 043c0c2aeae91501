#include "ops/families/along_dim.h"

#include <algorithm>

#include "ops/families/self_dim.h"
#include "ops/repair/clamp.h"

namespace indexfuzz {

Dims at_least_1d(const Dims& shape) {
  return shape.empty() ? Dims{1} : shape;
}

void fit_index(Dims& index, const Dims& self, int dim) {
  if (numel(index) == 0) return;
  if (self.size() > 1 || index.size() > 1)
    set_rank(index, std::max<int>(rank(self), self.empty() ? 1 : 0));
  for (std::size_t d = 0; d < index.size(); ++d) {
    if (static_cast<int>(d) != dim) index[d] = std::min(index[d], self[d]);
  }
  if (size_at(self, dim) == 0) {
    if (index.empty()) index.push_back(0);
    index[static_cast<std::size_t>(dim)] = 0;
  }
}

void fit_source(Dims& source, const Dims& index, const Limits& limits) {
  if (index.size() > 1 || source.size() > 1)
    set_rank(source, std::max<int>(rank(index), index.empty() ? 1 : 0));
  if (source.empty() && !index.empty() && index[0] > 1) source = index;
  for (std::size_t d = 0; d < source.size(); ++d) {
    source[d] = std::max(source[d], index.empty() ? std::int64_t{1} : index[d]);
  }
  if (!is_within(source, limits)) source = index;
}

void fit_scattered(Case& c, int index, int source, const Limits& limits) {
  const Dims& self = c.operands[0].shape;
  Dims& indices = operand_at(c, index).shape;
  Dims& elements = operand_at(c, source).shape;
  clamp_shape(indices, limits.max_rank, limits.max_elements);
  fit_index(indices, self, dim_of(c));
  clamp_shape(elements, limits.max_rank, limits.max_elements);
  fit_source(elements, indices, limits);
}

}  // namespace indexfuzz
