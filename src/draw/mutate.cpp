#include "draw/mutate.h"

#include <algorithm>

#include "draw/attributes.h"
#include "draw/mutate_operand.h"
#include "draw/operand.h"
#include "draw/sizes.h"
#include "ops/definition/operator.h"
#include "ops/families/advanced_index.h"
#include "ops/repair/repair.h"

namespace indexfuzz {
namespace {

constexpr int kAttempts = 8;

void change_form(Choices& choices, std::span<const Target> targets, const Limits& limits, Case& c) {
  // The operator's other forms are equally likely.
  std::uint32_t others = 0;
  const auto is_other = [&](const Target& t) {
    return t.op == c.op && (t.overload != c.overload || t.variant != c.variant);
  };
  for (const Target& target : targets) others += is_other(target);
  if (others == 0) return;
  std::uint32_t skip = choices.below(others);
  for (const Target& target : targets) {
    if (is_other(target) && skip-- == 0) return become(choices, target, limits, c);
  }
}

void change_rule(Choices& choices, const Limits& limits, Case& c) {
  const auto rules = operator_of(c).rules;
  if (limits.illegal && !rules.empty()) c.breaks = rules[choices.below(rules.size())].number;
}

void change_attribute(Choices& choices, Case& c) {
  const auto attributes = overload_of(c).attributes;
  if (attributes.empty()) return;
  const std::size_t a = choices.below(attributes.size());
  c.attributes[a] = draw_attribute(choices, attributes[a], c.operands[0].shape, false);
}

bool may_grow(const Case& c, const Limits& limits, std::size_t entries) {
  return entries < static_cast<std::size_t>(limits.max_list_entries) &&
         c.operands.size() < c.operands.capacity();
}

/// Inserts an entry into a list of values, removes one, or makes it an empty vector.
void change_value_list(Choices& choices, const Limits& limits, Case& c) {
  if (!lists_values(overload_of(c))) return;
  const auto entries = static_cast<std::size_t>(input_count(c));
  const auto at = c.operands.begin() + static_cast<std::ptrdiff_t>(choices.below(entries));
  switch (choices.below(4)) {
    case 0:
    case 1: {
      if (!may_grow(c, limits, entries)) return;
      Operand entry = *at;
      draw_fill(choices, Role::kValue, entry);
      draw_layout(choices, limits, entry);
      c.operands.insert(at, entry);
      return;
    }
    case 2:
      if (entries > 1) c.operands.erase(at);
      return;
    default:
      at->shape = {0};
      at->layout = contiguous_layout(1);
      return;
  }
}

/// Inserts an entry into an index list, removes one, makes it None, or draws it anew.
void change_index_list(Choices& choices, const Limits& limits, Case& c) {
  if (!lists_indices(overload_of(c))) return;
  const auto first = static_cast<std::size_t>(list_begin(c));
  const auto end = static_cast<std::size_t>(input_count(c));
  if (end <= first) return;
  const Dims& self = c.operands[0].shape;
  const std::size_t k = first + choices.below(end - first);
  // The positions of a list broadcast with each other.
  const auto theme = std::find_if(
      c.operands.begin() + static_cast<std::ptrdiff_t>(first),
      c.operands.begin() + static_cast<std::ptrdiff_t>(end),
      [](const Operand& o) { return o.present && family(o.fill.kind) == FillFamily::kIndex; });
  const bool has_theme = theme != c.operands.begin() + static_cast<std::ptrdiff_t>(end);
  const Dims shape =
      has_theme ? theme->shape : Dims{1 + static_cast<std::int64_t>(choices.below(5))};
  const auto dim = static_cast<std::size_t>(first_dim_of(c, static_cast<int>(k)));
  const auto redraw = [&](Operand& operand) {
    operand = Operand{};
    draw_listed_index(choices, limits, self, shape, dim, operand);
    draw_fill(choices, Role::kIndexOrMask, operand);
    draw_layout(choices, limits, operand);
  };
  const auto at = c.operands.begin() + static_cast<std::ptrdiff_t>(k);
  switch (choices.below(4)) {
    case 0:
      if (may_grow(c, limits, end - first)) redraw(*c.operands.insert(at, Operand{}));
      return;
    case 1:
      if (end - first > 1) c.operands.erase(at);
      return;
    case 2:
      if (at->present) {
        at->present = false;
        return;
      }
      [[fallthrough]];
    default: redraw(*at); return;
  }
}

/// Switches between an `out` that fits and one that the call resizes.
void change_out(Choices& choices, Case& c) {
  if (c.variant != Variant::kOut) return;
  Operand& out = c.operands.back();
  if (out.own_shape) {
    out.own_shape = false;
    out.shape = operator_of(c).result(c).shape;
  } else {
    draw_shape_to_resize(choices, out.shape, out);
  }
  out.layout = contiguous_layout(rank(out.shape));
}

/// Shrinks the largest dimensions until the operand has at most `most` elements.
void make_small(Choices& choices, std::int64_t most, Operand& operand) {
  while (numel(operand.shape) > most) {
    std::int64_t& largest = *std::ranges::max_element(operand.shape);
    largest = largest > 64 ? 1 + choices.below(64) : largest / 2;
  }
}

/// Often removes what makes a case slow or unproductive (a broken rule, GPU settings, many
/// elements, non-contiguous layouts, sizes of 0), since later mutations would inherit it.
void make_worthwhile(Choices& choices, Case& c) {
  // A refusal costs as much as several calls.
  if (c.breaks != 0 && !choices.one_in(8)) c.breaks = 0;
  // On a busy stream every call waits.
  if (c.gpu != GpuSettings{} && choices.one_in(4)) c.gpu = {};
  const std::int64_t budget = draw_budget(choices, c.environment.threads > 1);
  const std::int64_t most = budget == kLargeBudget ? INT64_MAX : budget;
  const bool fill = !choices.one_in(8);
  for (Operand& operand : c.operands) {
    make_small(choices, most, operand);
    if (choices.one_in(8)) make_contiguous(operand.layout, rank(operand.shape));
    if (!fill) continue;
    for (std::int64_t& size : operand.shape) {
      if (size == 0) size = 1 + choices.below(3);
    }
  }
}

/// Flips a GPU setting, an operand's place on the host, or whether its slices lie far apart. A busy
/// stream has other streams that are busy, too, and then idle ones. Without GPUs repair() undoes
/// all but the deterministic flag and the slices, and mutate() tries again.
void change_gpu(Choices& choices, Case& c) {
  static_assert(kGpuSettings.back().is_on == &GpuSettings::idle_others);
  constexpr std::size_t kFlipped = kGpuSettings.size() - 1;
  const std::size_t way = choices.below(kFlipped + 2);
  if (way < kFlipped) {
    bool& is_on = c.gpu.*kGpuSettings[way].is_on;
    if (&is_on == &c.gpu.side_stream && is_on && !c.gpu.idle_others)
      c.gpu.idle_others = true;
    else
      is_on = !is_on;
    return;
  }
  Operand& operand = c.operands[choices.below(c.operands.size())];
  if (way > kFlipped) {
    operand.on_host = !operand.on_host;
  } else {
    operand.slices = operand.slices == SlicePlacement::kByLayout ? far_or_half(choices)
                                                                 : SlicePlacement::kByLayout;
  }
}

/// Gives all operands of self's rank one order in memory, and no gaps: kernels for channels-last
/// tensors want it of each of them.
void share_order(Choices& choices, const Limits& limits, Case& c) {
  const std::size_t rank = c.operands[0].shape.size();
  if (!limits.strided || rank < 2) return;
  const DimOrder order = draw_shared_order(choices, static_cast<int>(rank));
  for (Operand& operand : c.operands) {
    if (operand.shape.size() == rank) lay_out_densely(order, operand.layout);
  }
}

/// Makes all operands contiguous but one: many kernels take a path of their own if a single operand
/// is expanded or strided.
void make_others_contiguous(Choices& choices, Case& c) {
  const std::size_t kept = choices.below(c.operands.size());
  for (std::size_t k = 0; k < c.operands.size(); ++k) {
    Operand& operand = c.operands[k];
    if (k != kept) make_contiguous(operand.layout, rank(operand.shape));
  }
}

void change_once(Choices& choices, std::span<const Target> targets, const Limits& limits, Case& c) {
  if (choices.one_in(32)) return change_gpu(choices, c);
  if (takes_table(c, limits) && choices.one_in(128)) return draw_table(choices, c);
  const std::uint32_t way = choices.below(32);
  if (way < 8) return change_size(choices, c);
  if (way < 13) return change_layout(choices, limits, c);
  if (way < 14) return make_others_contiguous(choices, c);
  if (way < 15) return share_order(choices, limits, c);
  if (way < 19) return change_fill(choices, c);
  if (way < 22) return redraw_dtype(choices, limits, c);
  if (way < 25) return change_rank(choices, limits, c);
  if (way < 27) return change_form(choices, targets, limits, c);
  if (way < 29) return change_attribute(choices, c);
  if (way < 30) return change_rule(choices, limits, c);
  if (way < 31) {
    change_value_list(choices, limits, c);
    return change_index_list(choices, limits, c);
  }
  change_out(choices, c);
}

}  // namespace

void mutate(Choices& choices, std::span<const Target> targets, const Limits& limits, Case& c) {
  const Case original = c;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    make_worthwhile(choices, c);
    change_once(choices, targets, limits, c);
    repair(c, limits);
    if (!(c == original)) return;
  }
}

void splice(Choices& choices, const Case& other, const Limits& limits, Case& c) {
  const std::size_t common = std::min(c.operands.size(), other.operands.size());
  for (std::size_t k = 0; k < common; ++k) {
    const auto index = static_cast<int>(k);
    if (spec_of(c, index).role != spec_of(other, index).role) continue;
    Operand& mine = c.operands[k];
    const Operand& theirs = other.operands[k];
    switch (choices.below(8)) {
      case 0: mine = theirs; break;
      case 1: mine.dtype = theirs.dtype; break;
      case 2:
        mine.shape = theirs.shape;
        mine.layout = theirs.layout;
        break;
      case 3: mine.fill = theirs.fill; break;
      case 4:
        if (mine.shape.size() == theirs.shape.size()) {
          mine.layout = theirs.layout;
          mine.guard = theirs.guard;
        }
        break;
      default: break;
    }
  }
  for (std::size_t a = 0; a < c.attributes.size(); ++a) {
    if (choices.one_in(4)) c.attributes[a] = other.attributes[a];
  }
  if (c.breaks != 0 || choices.one_in(8)) c.breaks = choices.one_in(4) ? other.breaks : 0;
  repair(c, limits);
}

}  // namespace indexfuzz
