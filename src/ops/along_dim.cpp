#include "ops/along_dim.h"

#include <algorithm>

#include "ops/repair.h"

namespace indexfuzz {

Dims at_least_1d(const Dims& shape) {
  return shape.empty() ? Dims{1} : shape;
}

void fit_index(Dims& index, const Dims& self, int dim) {
  if (self.size() > 1 || index.size() > 1)
    set_rank(index, std::max<int>(rank(self), self.empty() ? 1 : 0));
  for (std::size_t d = 0; d < index.size(); ++d) {
    if (static_cast<int>(d) != dim) index[d] = std::min(index[d], self[d]);
  }
  if (size_at(self, dim) == 0 && numel(index) != 0) {
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
  Dims fitting = source;
  clamp_shape(fitting, kMaxDims, limits.max_elements);
  if (fitting != source) source = index;
}

bool exceed_index(Case& c, int operand, const Dims& bound, int dim) {
  Operand& index = c.operands[static_cast<std::size_t>(operand)];
  if (numel(index.shape) == 0) return false;
  for (std::size_t d = 0; d < index.shape.size(); ++d) {
    if (static_cast<int>(d) == dim || bound.empty()) continue;
    index.shape[d] = bound[d] + 1;
    index.fill = Fill{FillKind::kFirst, Negatives::kNone, 0, 0, 0};
    index.layout = contiguous_layout(rank(index.shape));
    return true;
  }
  return false;
}

}  // namespace indexfuzz
