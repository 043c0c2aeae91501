#include "draw/draw.h"

#include <algorithm>

#include "case/number.h"
#include "draw/operand.h"
#include "draw/sizes.h"
#include "ops/operator.h"

namespace indexfuzz {
namespace {

/// The targets of one operator: every operator as often as any other, however many forms it has.
std::span<const Target> draw_operator(Choices& choices, std::span<const Target> targets) {
  std::uint32_t groups = 1;
  for (std::size_t i = 1; i < targets.size(); ++i) groups += targets[i].op != targets[i - 1].op;
  std::uint32_t skip = choices.below(groups);
  std::size_t first = 0;
  while (skip > 0) {
    ++first;
    skip -= targets[first].op != targets[first - 1].op;
  }
  std::size_t end = first + 1;
  while (end < targets.size() && targets[end].op == targets[first].op) ++end;
  return targets.subspan(first, end - first);
}

/// All cases of a turn have the same settings, so that they run in one batch. Most are plain: a
/// wait or a slower algorithm a case costs as much as the case.
GpuSettings settings_of_turn(std::uint32_t worker, std::uint64_t turn) {
  const std::uint64_t bits = hash1(turn, worker);
  const auto one_in = [bits](std::uint64_t n, int first) { return (bits >> first & (n - 1)) == 0; };
  return {one_in(64, 0), one_in(32, 8), one_in(32, 16), one_in(16, 24)};
}

/// The choices of a turn, whose seed is remembered from one case to the next.
Choices choices_of_turn(const rc::Random::Key& key) {
  static thread_local rc::Random::Key last{};
  static thread_local std::uint64_t seed = rc::Random(last).next();
  if (last != key) {
    last = key;
    seed = rc::Random(key).next();
  }
  return Choices(seed);
}

bool broadcasts_self(const Overload& overload) {
  return std::ranges::any_of(overload.operands,
                             [](const OperandSpec& spec) { return spec.broadcasts; });
}

/// What positions of this shape select of a tensor in place of its first dimensions; one dimension
/// more has room.
Dims selected_shape(const Dims& positions, const Dims& tensor, std::size_t replaced) {
  Dims shape = positions;
  for (std::size_t d = replaced; d < tensor.size() && shape.size() + 1 < kMaxDims; ++d)
    shape.push_back(tensor[d]);
  return shape;
}

void draw_attributes(Choices& choices, const Overload& overload, const Dims& theme, Case& c) {
  const auto dims = std::max(rank(theme), 1);
  for (std::size_t a = 0; a < c.attributes.size(); ++a) {
    c.attributes[a] = 0;
    if (a >= overload.attributes.size()) continue;
    switch (overload.attributes[a].type) {
      case AttributeType::kBool: c.attributes[a] = choices.bits(1); break;
      case AttributeType::kOptionalInt:
        if (choices.one_in(4)) {
          c.attributes[a] = kNoInt;
          break;
        }
        [[fallthrough]];
      case AttributeType::kInt:
        c.attributes[a] =
            static_cast<std::int64_t>(choices.below(2 * static_cast<std::uint32_t>(dims))) - dims;
        break;
    }
  }
}

/// Whether the call works along a dimension of self.
bool names_dim(const Case& c) {
  const auto attributes = overload_of(c).attributes;
  for (std::size_t a = 0; a < attributes.size(); ++a) {
    if (attributes[a].type != AttributeType::kBool && c.attributes[a] != kNoInt) return true;
  }
  return false;
}

}  // namespace

void draw(Choices& choices, std::span<const Target> targets, const Limits& widest, Case& c) {
  // On the CPU it takes as long as ten thousand others.
  const bool huge = choices.bits(widest.gpu ? 16 : 18) < (widest.gpu ? 1 : 2);
  const Limits limits = huge ? widest : usual(widest);
  const Target& target = targets[choices.below(static_cast<std::uint32_t>(targets.size()))];
  c.op = target.op;
  c.overload = target.overload;
  c.variant = target.variant;
  c.breaks = 0;
  const OperatorInfo& row = operator_of(c);
  const Overload& overload = row.overloads[c.overload];

  // Work is shared out among threads in pieces of some ten thousand elements.
  const bool large = c.environment.threads > 1 && choices.one_in(64);
  const auto draw_any_shape = [&] {
    return huge    ? draw_huge_shape(choices, limits.max_rank)
           : large ? draw_large_shape(choices, limits.max_rank)
                   : draw_shape(choices, limits.max_rank);
  };
  const Dims theme = draw_any_shape();
  draw_attributes(choices, overload, theme, c);
  const bool has_dim = names_dim(c);
  const Dtype dtype = draw_dtype(choices, limits.dtypes);
  const bool has_list = overload.operands.back().is_list;
  const std::size_t fixed = overload.operands.size() - (has_list ? 1 : 0);
  std::size_t listed = 0;
  std::uint32_t gaps = 0;  // bit i: entry i of the list is None
  // Of a large case, often only self is large.
  const bool small_index = numel(theme) > 32768 && choices.one_in(2);
  Dims index_theme;
  if (has_list) {
    const auto most =
        static_cast<std::uint32_t>(std::clamp<int>(rank(theme), 1, limits.max_index_tensors));
    listed = 1;
    while (listed < most && choices.below(8) < 3) ++listed;
    if (most >= 3 && choices.one_in(4)) {
      // Any order of tensors and gaps.
      listed = 2 + choices.below(most - 1);
      const int entries = static_cast<int>(listed);
      gaps = choices.bits(entries) & choices.bits(entries) & ~(1u << choices.below(listed));
    } else if (listed == 2 && most >= 3 && choices.one_in(3)) {
      // Two tensors with a gap between them, and perhaps one before: the broadcast shape then
      // comes first, in front of dimensions that it would otherwise follow.
      gaps = most >= 4 && choices.one_in(2) ? 0b0101 : 0b0010;
      listed = gaps == 0b0101 ? 4 : 3;
    } else if (choices.one_in(128)) {
      gaps = (1u << listed) - 1;
    }
    const std::uint32_t index_rank = choices.below(8);
    index_theme.resize(index_rank < 5 ? 1 : index_rank < 6 ? 2 : index_rank < 7 ? 0 : 3);
    if (index_rank == 7 && choices.one_in(4)) index_theme.resize(4 + choices.below(2));
    std::int64_t budget = choices.one_in(64) ? 1100 : 70;
    for (std::int64_t& size : index_theme) {
      size = draw_size(choices, budget);
      budget /= size;
    }
    if (choices.one_in(40) && !index_theme.empty()) index_theme[0] = 0;
  }
  c.operands.resize(fixed + listed + (c.variant == Variant::kOut ? 1 : 0));
  for (std::size_t k = 0; k < c.operands.size(); ++k) {
    Operand& operand = c.operands[k];
    const OperandSpec& spec = spec_of(c, static_cast<int>(k));
    const Role role = spec.role;
    operand.present = true;
    operand.shares_memory_with = -1;
    operand.poked = false;
    operand.own_shape = false;
    const auto draw_input_shape = [&] {
      const bool anew = spec.any_shape && !has_dim && choices.one_in(2);
      return anew ? draw_any_shape() : draw_related_shape(choices, theme);
    };
    operand.on_host = c.gpu.side_stream && spec.on_host != OnHost::kNever && choices.one_in(4);
    if (role == Role::kIndexOrMask && has_list) {
      draw_listed_index(choices, limits, theme, index_theme, k - fixed, operand);
      if (((gaps >> (k - fixed)) & 1) != 0) operand.present = false;
    } else if (role == Role::kIndex) {
      operand.dtype = choices.one_in(3) ? Dtype::kInt32 : Dtype::kInt64;
      operand.shape = draw_input_shape();
      if (choices.one_in(16)) exchange_rank_0_and_1(choices, operand.shape);
      if (choices.one_in(40) && !operand.shape.empty()) {
        operand.shape[choices.below(static_cast<std::uint32_t>(operand.shape.size()))] = 0;
      }
      if (small_index)
        std::ranges::for_each(operand.shape,
                              [](std::int64_t& size) { size = std::min<std::int64_t>(size, 5); });
    } else if (role == Role::kOut) {
      // Its shape follows from the others, and the rank drawn here lets its layout have traits.
      operand.shape = theme;
      if (choices.one_in(4)) draw_shape_to_resize(choices, theme, operand);
    } else if (role == Role::kScalar) {
      operand.dtype = draw_scalar_dtype(choices);
      operand.shape.clear();
    } else {
      operand.dtype = dtype;
      if (role == Role::kMask) operand.dtype = choices.one_in(8) ? Dtype::kUInt8 : Dtype::kBool;
      // Operators that take one dtype only put it right.
      if (role == Role::kValue && k > 0 && choices.one_in(4))
        operand.dtype = draw_dtype(choices, limits.dtypes);
      // What is written through a list of indices broadcasts to the shape that they select; where
      // any operand may broadcast, each stretches dimensions of its own.
      const bool through_list = has_list && k > 0;
      const bool stretches =
          k > 0 ? through_list || spec.broadcasts : broadcasts_self(overload) && choices.one_in(4);
      const Dims around = through_list ? selected_shape(index_theme, theme, listed) : theme;
      operand.shape = stretches ? draw_broadcast_shape(choices, around)
                      : k == 0  ? theme
                                : draw_input_shape();
      if (k > 0 && choices.one_in(16)) exchange_rank_0_and_1(choices, operand.shape);
    }
    draw_fill(choices, role, operand);
    draw_layout(choices, limits, operand);
  }
  const bool illegal = limits.illegal && !row.rules.empty() && choices.one_in(19);
  if (illegal)
    c.breaks = row.rules[choices.below(static_cast<std::uint32_t>(row.rules.size()))].number;
  repair(c, limits);
  // A rule that does not apply to this case gives way to another one, twice.
  for (int attempt = 0; illegal && c.breaks == 0 && attempt < 2; ++attempt) {
    c.breaks = row.rules[choices.below(static_cast<std::uint32_t>(row.rules.size()))].number;
    repair(c, limits);
  }
}

void draw_case(std::uint64_t seed, std::uint32_t worker, std::uint64_t number,
               std::span<const Target> targets, const Limits& limits, Case& out) {
  Choices choices(rc::Random(rc::Random::Key{seed, worker, number, 1}));
  out.environment = environment_of(worker, number, limits.gpu);
  out.gpu = limits.gpu ? settings_of_turn(worker, number / kOperatorTurn) : GpuSettings{};
  Choices turn = choices_of_turn({seed, worker, number / kOperatorTurn, 2});
  draw(choices, draw_operator(turn, targets), limits, out);
}

}  // namespace indexfuzz
