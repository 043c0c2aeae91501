#include "ops/index_rules.h"

#include "ops/advanced_index.h"
#include "ops/illegal.h"

namespace indexfuzz {

std::int64_t bound_in_list(const Case& c, int self_operand, int list_begin, int operand) {
  const auto dim = static_cast<std::size_t>(first_dim_of(c, list_begin, operand));
  const Dims& self = c.operands[static_cast<std::size_t>(self_operand)].shape;
  return dim < self.size() ? self[dim] : 1;
}

int first_of_list(const Case& c, int list_begin, bool mask) {
  for (int k = list_begin; k < input_count(c); ++k) {
    const Operand& operand = c.operands[static_cast<std::size_t>(k)];
    if (operand.present && contains(kMaskDtypes, operand.dtype) == mask) return k;
  }
  return -1;
}

bool selects_something(const Case& c, int self, int list_begin) {
  return numel(indexed_shape(c, self, list_begin).shape()) > 0;
}

bool poke_position(Case& c, int self, int list_begin, bool above) {
  const int k = first_of_list(c, list_begin, false);
  if (k < 0 || !selects_something(c, self, list_begin)) return false;
  const std::int64_t bound = bound_in_list(c, self, list_begin, k);
  return poke_index(c, k, above ? bound : -bound - 1);
}

bool empty_indexed_dimension(Case& c, int self, int list_begin) {
  const int k = first_of_list(c, list_begin, false);
  return k >= 0 && selects_something(c, self, list_begin) &&
         empty_dimension(c, self, first_dim_of(c, list_begin, k));
}

bool change_position_dtype(Case& c, int list_begin) {
  const int k = first_of_list(c, list_begin, false);
  return k >= 0 && change_dtype(c, k, Dtype::kFloat);
}

bool enlarge_mask(Case& c, int list_begin) {
  const int k = first_of_list(c, list_begin, true);
  if (k < 0) return false;
  Operand& mask = c.operands[static_cast<std::size_t>(k)];
  mask.shape.back() += 1;
  mask.layout = contiguous_layout(rank(mask.shape));
  mask.fill.repeats = 0;
  return true;
}

bool add_one_index_too_many(Case& c, int self, int list_begin) {
  if (c.operands.size() >= kMaxOperands) return false;
  const int missing = rank(c.operands[static_cast<std::size_t>(self)].shape) + 1 -
                      first_dim_of(c, list_begin, input_count(c));
  if (missing != 1) return false;
  Operand extra;
  extra.dtype = Dtype::kInt64;
  extra.shape = {1};
  extra.fill.kind = FillKind::kFirst;
  extra.layout = contiguous_layout(1);
  c.operands.insert(c.operands.begin() + input_count(c), extra);
  return true;
}

}  // namespace indexfuzz
