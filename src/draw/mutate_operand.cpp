#include "draw/mutate_operand.h"

#include <algorithm>

#include "draw/operand.h"
#include "draw/sizes.h"

namespace indexfuzz {
namespace {

/// A size near `size` or at a boundary, for a dimension whose slices have `others` elements each.
std::int64_t other_size(Choices& choices, std::int64_t size, std::int64_t others, bool threads) {
  const std::int64_t elements = draw_budget(choices, threads);
  const std::int64_t most =
      std::clamp<std::int64_t>(elements / std::max<std::int64_t>(others, 1), 3, 65'000);
  switch (choices.below(8)) {
    case 0: return std::min(size + 1, most);
    case 1: return std::max<std::int64_t>(size - 1, 0);
    case 2: return 1;
    case 3: return std::min(size * 2, most);
    case 4: return choices.one_in(4) ? 0 : draw_size(choices, most);
    default: return draw_size(choices, most);
  }
}

std::int16_t small(Choices& choices, std::uint32_t n) {
  return static_cast<std::int16_t>(choices.below(n));
}

/// Changes a trait of one dimension; rank 1 or more.
void change_dimension(Choices& choices, Layout& layout) {
  const auto rank = layout.dims.size();
  DimLayout& dim = layout.dims[choices.below(rank)];
  switch (choices.below(8)) {
    case 0:
    case 1: dim.step = dim.step > 1 ? 1 : static_cast<std::int16_t>(2 + choices.below(3)); return;
    case 2:
      dim.before = dim.before > 0 ? 0 : static_cast<std::int16_t>(1 + small(choices, 4));
      return;
    case 3:
      dim.after = dim.after > 0 ? 0 : static_cast<std::int16_t>(1 + small(choices, 4));
      return;
    case 4: dim.slides = !dim.slides && choices.one_in(4); return;
    case 5: dim.expanded = !dim.expanded; return;
    default: {
      const std::uint32_t a = choices.below(rank);
      std::swap(layout.order[a], layout.order[choices.below(rank)]);
      return;
    }
  }
}

/// A random operand that is present; -1 if none is.
int choose_operand(Choices& choices, const Case& c) {
  const auto count = static_cast<int>(c.operands.size());
  const auto first = static_cast<int>(choices.below(c.operands.size()));
  for (int i = 0; i < count; ++i) {
    const int k = (first + i) % count;
    if (operand_at(c, k).present) return k;
  }
  return -1;
}

}  // namespace

void become(Choices& choices, const Target& target, const Limits& limits, Case& c) {
  Operand out;
  if (c.variant == Variant::kOut) {
    out = c.operands.back();
    c.operands.pop_back();
  } else {
    out.shape = c.operands[0].shape;
    draw_fill(choices, Role::kOut, out);
    draw_layout(choices, limits, out);
  }
  if (target.overload != c.overload) {
    c.overload = target.overload;
    const auto operands = overload_of(c).operands;
    if (!operands.back().is_list || c.operands.size() < operands.size())
      c.operands.resize(operands.size());
  }
  c.variant = target.variant;
  if (c.variant == Variant::kOut && c.operands.size() < c.operands.capacity())
    c.operands.push_back(out);
}

void change_size(Choices& choices, Case& c) {
  const int k = choose_operand(choices, c);
  if (k < 0) return;
  Operand& chosen = operand_at(c, k);
  if (chosen.shape.empty()) return;
  const std::size_t d = choices.below(chosen.shape.size());
  const std::int64_t old = chosen.shape[d];
  const std::int64_t size =
      other_size(choices, old, numel(chosen.shape) / std::max<std::int64_t>(old, 1),
                 c.environment.threads > 1);
  chosen.shape[d] = size;
  if (choices.one_in(2)) return;
  for (Operand& operand : c.operands) {
    if (d < operand.shape.size() && operand.shape[d] == old) operand.shape[d] = size;
  }
}

void change_rank(Choices& choices, const Limits& limits, Case& c) {
  const int k = choose_operand(choices, c);
  if (k < 0) return;
  const int old = rank(operand_at(c, k).shape);
  const bool all = choices.one_in(2);
  const bool drop = old > 0 && (choices.one_in(2) || old >= limits.max_rank);
  const std::size_t d = choices.below(static_cast<std::size_t>(drop ? old : old + 1));
  const std::int64_t size = 1 + choices.below(3);
  // Single steps would hardly ever reach the highest ranks.
  const int dimensions = choices.one_in(4) ? 1 + static_cast<int>(choices.below(4)) : 1;
  for (int i = 0; i < static_cast<int>(c.operands.size()); ++i) {
    Operand& operand = operand_at(c, i);
    if (i != k && !(all && operand.present && rank(operand.shape) == old)) continue;
    for (int n = 0; n < dimensions; ++n) {
      if (drop && d < operand.shape.size()) drop_dimension(operand, d);
      if (!drop && rank(operand.shape) < limits.max_rank) insert_dimension(operand, d, size);
    }
  }
}

void redraw_dtype(Choices& choices, const Limits& limits, Case& c) {
  const int k = choose_operand(choices, c);
  if (k < 0) return;
  const Role role = spec_of(c, k).role;
  const Dtype old = operand_at(c, k).dtype;
  Dtype dtype = old;
  switch (role) {
    case Role::kValue:
    case Role::kZeroOrNot:
      // All dtypes are equally likely here, so that mutation also reaches those that are rarely
      // drawn.
      dtype = choices.one_in(4) ? static_cast<Dtype>(choices.below(kDtypeCount))
                                : draw_dtype(choices, limits.dtypes);
      break;
    case Role::kIndex:
      dtype = spec_of(c, k).any_integer ? draw_integral_dtype(choices)
              : old == Dtype::kInt64    ? Dtype::kInt32
                                        : Dtype::kInt64;
      break;
    case Role::kMask: dtype = old == Dtype::kBool ? Dtype::kUInt8 : Dtype::kBool; break;
    case Role::kScalar: dtype = draw_scalar_dtype(choices); break;
    case Role::kIndexOrMask: {
      static constexpr Dtype kKinds[] = {Dtype::kInt64, Dtype::kInt32, Dtype::kBool, Dtype::kUInt8};
      dtype = kKinds[choices.below(limits.masks ? 4 : 2)];
      break;
    }
    case Role::kOut:
      if (!lists_values(overload_of(c))) return;  // repair() sets it from the other operands
      dtype = static_cast<Dtype>(choices.below(kDtypeCount));
      break;
  }
  const bool all = choices.one_in(2);
  for (int i = 0; i < static_cast<int>(c.operands.size()); ++i) {
    Operand& operand = operand_at(c, i);
    const Role of_other = spec_of(c, i).role;
    const bool alike = all && operand.dtype == old && (of_other == role || of_other == Role::kOut);
    if (i != k && !alike) continue;
    operand.dtype = dtype;
    // An index may have become a mask, or the reverse.
    if (role == Role::kIndexOrMask) draw_fill(choices, role, operand);
  }
}

void change_layout(Choices& choices, const Limits& limits, Case& c) {
  const int k = choose_operand(choices, c);
  if (k < 0) return;
  Operand& operand = operand_at(c, k);
  Layout& layout = operand.layout;
  switch (choices.below(8)) {
    case 0: operand.guard = operand.guard == Guard::kLeft ? Guard::kRight : Guard::kLeft; return;
    case 1:
      layout.offset = layout.offset > 0 ? 0 : static_cast<std::int16_t>(1 + small(choices, 9));
      return;
    case 2: draw_layout(choices, limits, operand); return;
    case 3:
      if (layout.dims.size() > 1 && choices.one_in(2)) return expand_all_but_one(choices, layout);
      [[fallthrough]];
    default:
      if (!layout.dims.empty()) change_dimension(choices, layout);
      return;
  }
}

void change_fill(Choices& choices, Case& c) {
  const int k = choose_operand(choices, c);
  if (k < 0) return;
  Operand& operand = operand_at(c, k);
  Fill& fill = operand.fill;
  switch (choices.below(8)) {
    case 0:
    case 1: fill.seed = choices.bits(16); return;
    case 2:
      if (family(fill.kind) == FillFamily::kMask)
        fill.popcount = choices.one_in(2) ? fill.popcount + 1 : fill.popcount - (fill.popcount > 0);
      else
        fill.negatives = static_cast<Negatives>(
            (static_cast<std::uint32_t>(fill.negatives) + 1 + choices.below(2)) % 3);
      return;
    case 3:
      if (!operand.shape.empty())
        fill.repeats ^= static_cast<std::uint16_t>(1u << choices.below(operand.shape.size()));
      return;
    default: {
      const std::uint16_t repeats = fill.repeats;
      draw_fill(choices, spec_of(c, k).role, operand);
      if (!choices.one_in(4)) fill.repeats = repeats;
      return;
    }
  }
}

}  // namespace indexfuzz
