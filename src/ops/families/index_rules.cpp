#include "ops/families/index_rules.h"

#include <algorithm>
#include <boost/container/static_vector.hpp>

#include "ops/families/advanced_index.h"
#include "ops/families/mask.h"
#include "ops/illegal.h"
#include "ops/repair/broadcast.h"
#include "ops/repair/settle_layout.h"

namespace indexfuzz {
namespace {

Operand& at(Case& c, int operand) {
  return c.operands[static_cast<std::size_t>(operand)];
}

/// A random operand of the list that holds positions or, with `mask`, is a mask, not counting the
/// first `skipped` of them; -1 if there is none.
int any_of_list(const Case& c, int list_begin, bool mask, std::size_t skipped) {
  boost::container::static_vector<int, kMaxOperands> found;
  for (int k = list_begin; k < input_count(c); ++k) {
    const Operand& operand = c.operands[static_cast<std::size_t>(k)];
    if (operand.present && contains(kMaskDtypes, operand.dtype) == mask) found.push_back(k);
  }
  if (found.size() <= skipped) return -1;
  return found[skipped + chance_of(c) % (found.size() - skipped)];
}

/// Changes the size of any dimension of any mask by `by`.
bool resize_mask(Case& c, int list_begin, std::int64_t by) {
  const int k = any_of_list(c, list_begin, true, 0);
  if (k < 0) return false;
  Operand& mask = at(c, k);
  const std::size_t dim = mask.shape.size() - 1 - (chance_of(c) >> 8) % mask.shape.size();
  if (mask.shape[dim] + by < 0) return false;
  resize_dimension(mask, dim, mask.shape[dim] + by);
  mask.fill.popcount = std::min(mask.fill.popcount, static_cast<std::uint32_t>(numel(mask.shape)));
  return true;
}

/// The shape to which the positions of the list broadcast without those of operand k.
Dims shape_of_others(const Case& c, int list_begin, int k) {
  Dims others;
  for (int i = list_begin; i < input_count(c); ++i) {
    const Operand& operand = c.operands[static_cast<std::size_t>(i)];
    if (i == k || !operand.present) continue;
    const bool is_mask = contains(kMaskDtypes, operand.dtype);
    broadcast_into(others, is_mask ? Dims{set_elements(operand)} : operand.shape);
  }
  return others;
}

bool poke_operand(Case& c, int self, int list_begin, int operand, bool above) {
  if (operand < 0 || !selects_something(c, self, list_begin)) return false;
  const std::int64_t bound = bound_in_list(c, self, list_begin, operand);
  return poke_index(c, operand, above ? bound : -bound - 1);
}

}  // namespace

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
  return poke_operand(c, self, list_begin, first_of_list(c, list_begin, false), above);
}

bool poke_later_position(Case& c, int self, int list_begin, bool above) {
  return poke_operand(c, self, list_begin, any_of_list(c, list_begin, false, 1), above);
}

bool empty_indexed_dimension(Case& c, int self, int list_begin) {
  const int k = first_of_list(c, list_begin, false);
  return k >= 0 && selects_something(c, self, list_begin) &&
         empty_dimension(c, self, first_dim_of(c, list_begin, k));
}

bool change_position_dtype(Case& c, int list_begin) {
  const int k = first_of_list(c, list_begin, false);
  return k >= 0 && become_floating(c, k);
}

bool change_later_position_dtype(Case& c, int list_begin) {
  const int k = any_of_list(c, list_begin, false, 1);
  return k >= 0 && become_floating(c, k);
}

bool lengthen_mask(Case& c, int list_begin) {
  return resize_mask(c, list_begin, 1);
}

bool shorten_mask(Case& c, int list_begin) {
  return resize_mask(c, list_begin, -1);
}

bool enlarge_mask(Case& c, int list_begin) {
  const int k = first_of_list(c, list_begin, true);
  if (k < 0) return false;
  Operand& mask = at(c, k);
  resize_dimension(mask, mask.shape.size() - 1, mask.shape.back() + 1);
  return true;
}

bool mismatch_positions(Case& c, int list_begin) {
  const int k = first_of_list(c, list_begin, false);
  if (k < 0) return false;
  return mismatch_broadcast(c, k, shape_of_others(c, list_begin, k));
}

bool mismatch_masks(Case& c, int list_begin) {
  const int k = any_of_list(c, list_begin, true, 0);
  if (k < 0) return false;
  const Dims others = shape_of_others(c, list_begin, k);
  if (others.empty() || others.back() == 1) return false;
  Operand& mask = at(c, k);
  const auto distinct = static_cast<std::uint64_t>(distinct_values(mask));
  if (distinct == 0) return false;
  const std::int64_t copies = numel(mask.shape) / static_cast<std::int64_t>(distinct);
  for (std::uint64_t i = 0; i < distinct; ++i) {
    const std::uint64_t set = 1 + (chance_of(c) + i) % distinct;
    const std::int64_t named = static_cast<std::int64_t>(set) * copies;
    if (named == 1 || named == others.back()) continue;
    mask.fill.popcount = static_cast<std::uint32_t>(set);
    return true;
  }
  return false;
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

bool leave_no_index(Case& c, int list_begin) {
  c.operands.erase(c.operands.begin() + list_begin, c.operands.begin() + input_count(c));
  return true;
}

}  // namespace indexfuzz
