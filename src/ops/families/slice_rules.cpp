#include "ops/families/slice_rules.h"
#include "ops/illegal/break_dtypes.h"
#include "ops/illegal/break_memory.h"
#include "ops/illegal/break_shapes.h"
#include "ops/illegal/break_values.h"
#include "ops/illegal/chance.h"

#include <algorithm>

namespace indexfuzz::slice_rules {
namespace {

constexpr int kSelf = 0, kIndexOperand = 1, kSource = 2;

/// Changes the size by one: up, or down if something is left.
void change_size(Operand& operand, std::size_t dim) {
  const std::int64_t size = operand.shape[dim];
  const bool down = size > 1 && chance_of(operand, 1) % 2 == 0;
  resize_dimension(operand, dim, down ? size - 1 : size + 1);
}

}  // namespace

bool index_below(Case& c) {
  return writes_slices(c, kIndexOperand) && poke_index(c, kIndexOperand, -1);
}

bool index_above(Case& c) {
  return writes_slices(c, kIndexOperand) &&
         poke_index(c, kIndexOperand, bound_along_dim(c, kIndexOperand));
}

bool index_rank(Case& c) {
  return add_dimension(c, kIndexOperand, 2);
}

bool index_dtype(Case& c) {
  return become_floating(c, kIndexOperand);
}

bool index_dtype_narrow(Case& c) {
  return become_narrow(c, kIndexOperand);
}

bool index_is_written(Case& c) {
  return share_memory(c, kIndexOperand);
}

bool source_dtype(Case& c) {
  return mismatch_dtype(c, kSource, kSelf);
}

bool source_rank(Case& c) {
  return add_dimension(c, kSource, std::max(rank(c.operands[kSource].shape), 1) + 1);
}

bool source_rank_of_one_slice(Case& c) {
  const Dims& shape = c.operands[kSource].shape;
  return add_dimension(c, kSource, 1) ||
         (rank(shape) == 1 && numel(shape) == 1 && remove_dimension(c, kSource, 1));
}

bool source_rank_lower(Case& c) {
  const Dims& shape = c.operands[kSource].shape;
  return (rank(shape) > 1 || numel(shape) != 1) && remove_dimension(c, kSource, 1);
}

bool source_count(Case& c) {
  Operand& source = c.operands[kSource];
  if (source.shape.empty()) return false;
  change_size(source, static_cast<std::size_t>(dim_of(c)));
  return true;
}

bool source_shape(Case& c) {
  Operand& source = c.operands[kSource];
  if (rank(source.shape) < 2) return false;
  // Any dimension but `dim`.
  const std::size_t others = source.shape.size() - 1;
  const std::size_t d = chance_of(source, 2) % others;
  change_size(source, d + (d >= static_cast<std::size_t>(dim_of(c)) ? 1 : 0));
  return true;
}

bool source_is_written(Case& c) {
  return share_memory(c, kSource);
}

bool self_empty(Case& c) {
  return writes_slices(c, kIndexOperand) && empty_written_dimension(c, dim_of(c));
}

}  // namespace indexfuzz::slice_rules
