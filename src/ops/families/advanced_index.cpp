#include "ops/families/advanced_index.h"

#include <algorithm>

#include "case/broadcast.h"
#include "case/walk.h"
#include "ops/families/mask.h"
#include "ops/families/moves.h"
#include "ops/repair/clamp.h"
#include "ops/repair/settle_layout.h"

namespace indexfuzz {
namespace {

/// How many dimensions of self an entry of the list takes.
int dims_taken(const Operand& operand) {
  return operand.present && is_mask(operand) ? rank(operand.shape) : 1;
}

std::span<const Operand> list_of(const Case& c) {
  return {c.operands.data() + list_begin(c),
          static_cast<std::size_t>(input_count(c) - list_begin(c))};
}
std::span<Operand> list_of(Case& c) {
  return {c.operands.data() + list_begin(c),
          static_cast<std::size_t>(input_count(c) - list_begin(c))};
}

Dims position_shape(const Operand& operand) {
  return is_mask(operand) ? Dims{set_elements(operand)} : operand.shape;
}

void make_none(Operand& operand) {
  operand = Operand{};
  operand.present = false;
}

void offsets(const Dims& shape, const Dims& strides, std::vector<std::int64_t>& out) {
  out.resize(static_cast<std::size_t>(numel(shape)));
  for_each_element(
      shape,
      [&](std::int64_t i, std::int64_t offset) { out[static_cast<std::size_t>(i)] = offset; },
      strides);
}

/// Halves the longest dimension of the position tensors. If it is the last one and broadcasts with
/// masks, whose counts stay, it becomes 1. False if all dimensions are 1.
bool halve_positions(std::span<Operand> list) {
  Dims broadcast;
  bool any_mask = false;
  for (const Operand& operand : list) {
    if (!operand.present) continue;
    any_mask |= is_mask(operand);
    if (!is_mask(operand)) broadcast_into(broadcast, operand.shape);
  }
  const auto longest = std::ranges::max_element(broadcast);
  if (longest == broadcast.end() || *longest <= 1) return false;
  const auto from_end = static_cast<std::size_t>(broadcast.end() - longest);
  for (Operand& operand : list) {
    if (!operand.present || is_mask(operand) || operand.shape.size() < from_end) continue;
    std::int64_t& size = operand.shape[operand.shape.size() - from_end];
    size = any_mask && from_end == 1 ? 1 : (size + 1) / 2;
  }
  return true;
}

/// Removes entries from the end of the list until it fits self's rank and `max_entries`.
void fit_list_length(Case& c, int self_rank, int max_entries) {
  int taken = 0;
  const int inputs = input_count(c);
  int kept = 0;
  for (const Operand& operand : list_of(c)) {
    const int left = self_rank - taken;
    if (left <= 0 || kept == max_entries) break;
    ++kept;
    taken += std::min(std::max(dims_taken(operand), 1), left);
  }
  c.operands.erase(c.operands.begin() + list_begin(c) + kept, c.operands.begin() + inputs);
}

/// Gives the mask a number of set elements that broadcasts with `broadcast`; false if there is
/// none.
bool fit_count(Operand& mask, const Dims& broadcast) {
  const std::int64_t wanted = broadcast.empty() ? set_elements(mask) : broadcast[0];
  if (set_elements(mask) == wanted || set_elements(mask) == 1 || wanted == 1) return true;
  const std::int64_t distinct = distinct_values(mask);
  const std::int64_t copies = distinct == 0 ? 1 : numel(mask.shape) / distinct;
  if (copies > 0 && wanted % copies == 0 && wanted / copies <= distinct)
    mask.fill.popcount = static_cast<std::uint32_t>(wanted / copies);
  else if (copies == 1 && distinct >= 1)
    mask.fill.popcount = 1;
  else
    return false;
  return true;
}

/// Gives each mask the shape of the dimensions that it takes. Ends the list at a mask whose number
/// of set elements cannot be made to broadcast with the others'.
void fit_masks(Case& c, const Dims& self, const Limits& limits, Dims& broadcast) {
  std::size_t dim = 0;
  for (int k = list_begin(c); k < input_count(c); ++k) {
    Operand& operand = operand_at(c, k);
    if (operand.present && is_mask(operand) && !limits.masks) operand.dtype = Dtype::kInt64;
    if (operand.present && is_mask(operand)) {
      const int left = rank(self) - static_cast<int>(dim);
      set_rank(operand.shape, std::clamp(rank(operand.shape), 1, left));
      std::copy_n(self.begin() + static_cast<std::ptrdiff_t>(dim), operand.shape.size(),
                  operand.shape.begin());
      settle_mask(operand, limits);
      if (!fit_count(operand, broadcast)) {
        // None takes a single dimension, so that later entries would no longer fit.
        make_none(operand);
        c.operands.erase(c.operands.begin() + k + 1, c.operands.begin() + input_count(c));
        return;
      }
      broadcast_into(broadcast, {set_elements(operand)});
    }
    dim += static_cast<std::size_t>(dims_taken(operand));
  }
}

/// Gives the position tensors shapes that broadcast with one another and with the masks. Those of a
/// dimension of size 0, in which no position is legal, become None.
void fit_positions(std::span<Operand> list, const Dims& self, const Limits& limits,
                   Dims& broadcast) {
  const int unindexed = std::max(rank(self) - 1, 0);
  std::size_t dim = 0;
  for (Operand& operand : list) {
    const std::size_t here = dim;
    dim += static_cast<std::size_t>(dims_taken(operand));
    if (!operand.present || is_mask(operand)) continue;
    clamp_dtype(operand.dtype, limits.index_dtypes);
    clamp_fill(operand.fill, FillFamily::kIndex);
    if (self[here] == 0) {
      make_none(operand);
      continue;
    }
    clamp_shape(operand.shape, std::min(limits.max_rank, kMaxDims - unindexed),
                limits.max_elements);
    if (!broadcasts_with(broadcast, operand.shape)) {
      for (std::size_t i = 1; i <= std::min(broadcast.size(), operand.shape.size()); ++i) {
        const std::int64_t size = broadcast[broadcast.size() - i];
        std::int64_t& own = operand.shape[operand.shape.size() - i];
        if (own != 1 && size != 1) own = size;
      }
    }
    broadcast_into(broadcast, operand.shape);
  }
}

/// Makes the first entry select position 0, or no position if self's first dimension is empty.
void select_something(Case& c, const Dims& self, const Limits& limits) {
  if (list_of(c).empty()) c.operands.insert(c.operands.begin() + list_begin(c), Operand{});
  Operand& first = operand_at(c, list_begin(c));
  first = Operand{};
  first.dtype = contains(limits.index_dtypes, Dtype::kInt64) ? Dtype::kInt64 : Dtype::kInt32;
  first.shape = {self[0] == 0 ? 0 : 1};
  first.fill.kind = FillKind::kFirst;
  first.layout = contiguous_layout(1);
}

}  // namespace

Dims IndexedShape::shape() const {
  Dims all = before;
  all.insert(all.end(), broadcast.begin(), broadcast.end());
  all.insert(all.end(), after.begin(), after.end());
  return all;
}

int list_begin(const Case& c) {
  return static_cast<int>(overload_of(c).operands.size()) - 1;
}

int first_dim_of(const Case& c, int operand) {
  int dim = 0;
  for (int k = list_begin(c); k < operand; ++k) dim += dims_taken(operand_at(c, k));
  return dim;
}

IndexedShape indexed_shape(const Case& c) {
  const Dims& shape = c.operands[0].shape;
  const Dims strides = row_major_strides(shape);
  IndexedShape result;
  std::uint32_t indexed = 0;
  int dim = 0;
  for (const Operand& operand : list_of(c)) {
    const int taken = dims_taken(operand);
    if (operand.present) {
      broadcast_into(result.broadcast, position_shape(operand));
      indexed |= ((1u << taken) - 1) << dim;
    }
    dim += taken;
  }
  // The indexed dimensions are neighbours if the set bits form one run.
  const std::uint32_t low = indexed & (~indexed + 1);
  const bool neighbours = ((indexed + low) & indexed) == 0;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if ((indexed >> d) & 1) continue;
    const bool in_front = neighbours && (1u << d) < low;
    (in_front ? result.before : result.after).push_back(shape[d]);
    (in_front ? result.before_strides : result.after_strides).push_back(strides[d]);
  }
  return result;
}

bool has_gaps_alone(const Case& c) {
  int k = input_count(c);
  while (k > 0 && spec_of(c, k - 1).is_list) {
    if (operand_at(c, --k).present) return false;
  }
  return k < input_count(c);
}

void fit_index_list(Case& c, const Limits& limits) {
  const Dims self = c.operands[0].shape;
  fit_list_length(c, rank(self), limits.max_list_entries);
  if (has_gaps_alone(c)) {
    c.breaks = 0;  // ATen's answer to the list would hide its answer to the rule
    return;
  }
  // Masks first: their numbers of set elements decide which shapes the positions may have.
  Dims broadcast;
  fit_masks(c, self, limits, broadcast);
  fit_positions(list_of(c), self, limits, broadcast);
  if (std::ranges::none_of(list_of(c), &Operand::present)) select_something(c, self, limits);
  // This ends: with one position per tensor, at most self's elements are selected.
  while (!is_within(indexed_shape(c).shape(), limits) && halve_positions(list_of(c))) {
  }
}

void select(const OracleInput& input, const Dims& values, Selection& s) {
  const Case& c = input.c;
  const Dims& self = c.operands[0].shape;
  const Dims self_strides = row_major_strides(self);
  const IndexedShape indexed = indexed_shape(c);
  const int broadcast_rank = rank(indexed.broadcast);
  offsets(indexed.before, indexed.before_strides, s.self_before);
  offsets(indexed.after, indexed.after_strides, s.self_after);
  s.self_broadcast.assign(static_cast<std::size_t>(numel(indexed.broadcast)), 0);

  static thread_local std::vector<std::int64_t> positions, walk;
  int dim = 0;
  for (int k = list_begin(c); k < input_count(c) && !s.self_broadcast.empty(); ++k) {
    const Operand& operand = operand_at(c, k);
    const int taken = dims_taken(operand);
    const int last = dim + taken - 1;
    dim += taken;
    if (!operand.present) continue;
    const LogicalOperand& elements = input.operands[static_cast<std::size_t>(k)];
    positions.clear();
    // Positions along the last dimension taken; those of a mask count through all its dimensions.
    if (is_mask(operand)) {
      for (std::int64_t i = 0; i < elements.count; ++i) {
        if (elements.data[i] != std::byte{0}) positions.push_back(i);
      }
    } else {
      const IndexReader index(input, k);
      const std::int64_t bound = self[static_cast<std::size_t>(last)];
      for (std::int64_t i = 0; i < index.count(); ++i)
        positions.push_back(index[i] < 0 ? index[i] + bound : index[i]);
    }
    const Dims shape =
        is_mask(operand) ? Dims{static_cast<std::int64_t>(positions.size())} : operand.shape;
    offsets(indexed.broadcast, broadcast_strides(shape, broadcast_rank), walk);
    const std::int64_t stride = self_strides[static_cast<std::size_t>(last)];
    for (std::size_t j = 0; j < walk.size(); ++j) {
      s.self_broadcast[j] += positions[static_cast<std::size_t>(walk[j])] * stride;
    }
  }

  const Dims strides =
      broadcast_strides(values, rank(indexed.before) + broadcast_rank + rank(indexed.after));
  const auto begin = strides.begin();
  const auto middle = begin + rank(indexed.before), end = middle + broadcast_rank;
  offsets(indexed.before, Dims(begin, middle), s.values_before);
  offsets(indexed.broadcast, Dims(middle, end), s.values_broadcast);
  offsets(indexed.after, Dims(end, strides.end()), s.values_after);
}

}  // namespace indexfuzz
