#include "ops/families/index_rules.h"

#include <algorithm>

#include "case/broadcast.h"
#include "ops/families/advanced_index.h"
#include "ops/families/mask.h"
#include "ops/illegal/break_dtypes.h"
#include "ops/illegal/break_shapes.h"
#include "ops/illegal/break_values.h"
#include "ops/illegal/chance.h"
#include "ops/repair/settle_layout.h"

namespace indexfuzz {
namespace {

/// How many operands of the list are masks or, without `masks`, hold positions.
int count_of(const Case& c, bool masks) {
  int count = 0;
  for (int k = list_begin(c); k < input_count(c); ++k) {
    const Operand& operand = operand_at(c, k);
    count += operand.present && is_mask(operand) == masks;
  }
  return count;
}

/// The n-th of the operands that count_of() counts; -1 if there are fewer.
int nth_of(const Case& c, bool masks, int n) {
  for (int k = list_begin(c); k < input_count(c); ++k) {
    const Operand& operand = operand_at(c, k);
    if (operand.present && is_mask(operand) == masks && n-- == 0) return k;
  }
  return -1;
}

/// A random one of them, not counting the first `skipped`; -1 if there is none.
int any_of(const Case& c, bool masks, int skipped) {
  const int count = count_of(c, masks) - skipped;
  if (count <= 0) return -1;
  return nth_of(c, masks, skipped + static_cast<int>(chance_of(c) % static_cast<unsigned>(count)));
}

int any_mask(const Case& c) {
  return any_of(c, true, 0);
}
int later_positions(const Case& c) {
  return any_of(c, false, 1);
}

/// Changes the size of any dimension of any mask by `by`.
bool resize_mask(Case& c, std::int64_t by) {
  const int k = any_mask(c);
  if (k < 0) return false;
  Operand& mask = operand_at(c, k);
  const std::size_t dim = mask.shape.size() - 1 - (chance_of(c) >> 8) % mask.shape.size();
  if (mask.shape[dim] + by < 0) return false;
  resize_dimension(mask, dim, mask.shape[dim] + by);
  mask.fill.popcount = std::min(mask.fill.popcount, static_cast<std::uint32_t>(numel(mask.shape)));
  return true;
}

/// The shape to which the positions of the list broadcast without those of operand k.
Dims shape_of_others(const Case& c, int k) {
  Dims others;
  for (int i = list_begin(c); i < input_count(c); ++i) {
    const Operand& operand = operand_at(c, i);
    if (i == k || !operand.present) continue;
    broadcast_into(others, is_mask(operand) ? Dims{set_elements(operand)} : operand.shape);
  }
  return others;
}

bool poke_operand(Case& c, int operand, End end) {
  if (operand < 0 || !selects_something(c)) return false;
  const std::int64_t bound = bound_in_list(c, operand);
  return poke_index(c, operand, end == End::kAbove ? bound : -bound - 1);
}

}  // namespace

std::int64_t bound_in_list(const Case& c, int operand) {
  const auto dim = static_cast<std::size_t>(first_dim_of(c, operand));
  const Dims& self = c.operands[0].shape;
  return dim < self.size() ? self[dim] : 1;
}

TableUse self_by_first_index(const Case& c) {
  const int first = list_begin(c);
  const bool selects = first < input_count(c) && operand_at(c, first).present;
  return selects && !is_mask(operand_at(c, first)) ? TableUse{0, first} : TableUse{};
}

int first_positions(const Case& c) {
  return nth_of(c, false, 0);
}

bool selects_something(const Case& c) {
  return numel(indexed_shape(c).shape()) > 0;
}

bool poke_position(Case& c, End end) {
  return poke_operand(c, first_positions(c), end);
}

bool poke_later_position(Case& c, End end) {
  return poke_operand(c, later_positions(c), end);
}

bool empty_indexed_dimension(Case& c) {
  const int k = first_positions(c);
  return k >= 0 && selects_something(c) && empty_dimension(c, 0, first_dim_of(c, k));
}

bool change_position_dtype(Case& c) {
  const int k = first_positions(c);
  return k >= 0 && become_floating(c, k);
}

bool narrow_position_dtype(Case& c) {
  const int k = first_positions(c);
  return k >= 0 && become_narrow(c, k);
}

bool change_later_position_dtype(Case& c) {
  const int k = later_positions(c);
  return k >= 0 && become_floating(c, k);
}

bool lengthen_mask(Case& c) {
  return resize_mask(c, 1);
}

bool shorten_mask(Case& c) {
  return resize_mask(c, -1);
}

bool enlarge_mask(Case& c) {
  const int k = nth_of(c, true, 0);
  if (k < 0) return false;
  Operand& mask = operand_at(c, k);
  resize_dimension(mask, mask.shape.size() - 1, mask.shape.back() + 1);
  return true;
}

bool mismatch_positions(Case& c) {
  const int k = first_positions(c);
  if (k < 0) return false;
  return mismatch_broadcast(c, k, shape_of_others(c, k));
}

bool mismatch_masks(Case& c) {
  const int k = any_mask(c);
  if (k < 0) return false;
  const Dims others = shape_of_others(c, k);
  if (others.empty() || others.back() == 1) return false;
  Operand& mask = operand_at(c, k);
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

bool add_one_index_too_many(Case& c) {
  if (c.operands.size() >= kMaxOperands) return false;
  const int missing = rank(c.operands[0].shape) + 1 - first_dim_of(c, input_count(c));
  if (missing != 1) return false;
  Operand extra;
  extra.dtype = Dtype::kInt64;
  extra.shape = {1};
  extra.fill.kind = FillKind::kFirst;
  extra.layout = contiguous_layout(1);
  c.operands.insert(c.operands.begin() + input_count(c), extra);
  return true;
}

bool leave_no_index(Case& c) {
  c.operands.erase(c.operands.begin() + list_begin(c), c.operands.begin() + input_count(c));
  return true;
}

}  // namespace indexfuzz
