#include "ops/families/along_dim.h"

#include <algorithm>

#include "ops/families/self_dim.h"
#include "ops/illegal.h"
#include "ops/repair/clamp.h"

namespace indexfuzz {
namespace {

/// Makes the index larger than `bound` in one of the dimensions for which may_be(d) holds.
template <typename MayBe>
bool enlarge_index(Case& c, int operand, const Dims& bound, MayBe&& may_be) {
  Operand& index = c.operands[static_cast<std::size_t>(operand)];
  if (numel(index.shape) == 0) return false;
  const std::size_t dims = index.shape.size();
  const std::size_t first = dims == 0 ? 0 : chance_of(index, dims) % dims;
  for (std::size_t i = 0; i < dims; ++i) {
    const std::size_t d = (first + i) % dims;
    if (!may_be(d)) continue;
    resize_dimension(index, d, bound[d] + 1);
    index.fill = Fill{FillKind::kFirst, Negatives::kNone, 0, 0, 0};
    return true;
  }
  return false;
}

}  // namespace

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
  if (!is_within(source, limits)) source = index;
}

void fit_scattered(Case& c, int index, int source, const Limits& limits) {
  const Dims& self = c.operands[0].shape;
  Dims& indices = c.operands[static_cast<std::size_t>(index)].shape;
  Dims& elements = c.operands[static_cast<std::size_t>(source)].shape;
  clamp_shape(indices, limits.max_rank, limits.max_elements);
  fit_index(indices, self, dim_of(c));
  clamp_shape(elements, limits.max_rank, limits.max_elements);
  fit_source(elements, indices, limits);
}

bool exceed_self(Case& c, int index, int dim) {
  const Dims& self = c.operands[0].shape;
  return enlarge_index(c, index, self,
                       [&](std::size_t d) { return static_cast<int>(d) != dim && !self.empty(); });
}

bool exceed_source(Case& c, int index, int source, int dim) {
  const Dims self = at_least_1d(c.operands[0].shape);
  const Dims& bound = c.operands[static_cast<std::size_t>(source)].shape;
  return enlarge_index(c, index, bound, [&](std::size_t d) {
    return !bound.empty() && (static_cast<int>(d) == dim || bound[d] < self[d]);
  });
}

}  // namespace indexfuzz
