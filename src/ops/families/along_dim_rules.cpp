#include "ops/families/along_dim_rules.h"

#include <algorithm>

#include "ops/families/along_dim.h"
#include "ops/families/self_dim.h"
#include "ops/illegal/break_dtypes.h"
#include "ops/illegal/break_shapes.h"
#include "ops/illegal/break_values.h"
#include "ops/illegal/chance.h"

namespace indexfuzz::along_dim_rules {
namespace {

constexpr int kSelf = 0, kIndexOperand = 1, kSrc = 2;

/// Makes the index larger than `bound` in one of the dimensions for which may_be(d) holds.
template <typename MayBe>
bool enlarge_index(Case& c, const Dims& bound, MayBe&& may_be) {
  Operand& index = c.operands[kIndexOperand];
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

bool exceed_rank_of_self(Case& c, int operand) {
  return has_indices(c) &&
         add_dimension(c, operand, std::max(rank(c.operands[kSelf].shape), 1) + 1);
}

}  // namespace

bool index_below(Case& c) {
  return poke_index(c, kIndexOperand, -1);
}

bool index_above(Case& c) {
  return poke_index(c, kIndexOperand, bound_along_dim(c, kIndexOperand));
}

bool index_dtype(Case& c) {
  return has_indices(c) && become_floating(c, kIndexOperand);
}

bool index_dtype_narrow(Case& c) {
  return has_indices(c) && become_narrow(c, kIndexOperand);
}

bool index_rank(Case& c) {
  return exceed_rank_of_self(c, kIndexOperand);
}

bool index_rank_lower(Case& c) {
  return has_indices(c) && remove_dimension(c, kIndexOperand, 2);
}

bool src_rank(Case& c) {
  return exceed_rank_of_self(c, kSrc);
}

bool src_rank_lower(Case& c) {
  return has_indices(c) && remove_dimension(c, kSrc, 2);
}

bool index_beyond_self(Case& c) {
  const Dims& self = c.operands[kSelf].shape;
  const int dim = dim_of(c);
  return enlarge_index(c, self,
                       [&](std::size_t d) { return static_cast<int>(d) != dim && !self.empty(); });
}

bool index_beyond_src(Case& c) {
  const Dims self = at_least_1d(c.operands[kSelf].shape);
  const Dims& bound = c.operands[kSrc].shape;
  const int dim = dim_of(c);
  return enlarge_index(c, bound, [&](std::size_t d) {
    return !bound.empty() && (static_cast<int>(d) == dim || bound[d] < self[d]);
  });
}

bool self_empty(Case& c) {
  return has_indices(c) && empty_written_dimension(c, dim_of(c));
}

}  // namespace indexfuzz::along_dim_rules
