#include "draw/draw.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "case/number.h"
#include "draw/environment_turns.h"
#include "draw/operand.h"
#include "draw/sizes.h"
#include "draw/theme.h"
#include "ops/contract/keeps.h"
#include "ops/contract/loosen.h"
#include "ops/definition/operator.h"
#include "ops/repair/repair.h"

namespace indexfuzz {
namespace {

constexpr std::uint32_t kTableOneIn = 64;

/// How often a case is drawn anew that cannot be brought into a contract.
constexpr int kMostDraws = 8;
/// The share of cases outside a contract, if it demands their refusal.
constexpr std::uint32_t kOneInOutside = 12;

/// All cases of a turn have the same settings, so that they run in one batch. Most settings are
/// plain: a wait or a slower algorithm costs as much as the case itself. Memory traffic beside the
/// calls slows down every worker on that GPU, so only one worker in eight asks for it. Without GPUs
/// repair() keeps only the deterministic flag.
GpuSettings settings_of_turn(std::uint32_t worker, std::uint64_t turn) {
  const std::uint64_t bits = hash1(turn, worker);
  const auto one_in = [bits](std::uint64_t n, int first) { return (bits >> first & (n - 1)) == 0; };
  const bool side_stream = one_in(64, 0), busy_memory = worker % 8 == 0 && one_in(16, 24);
  return {.side_stream = side_stream,
          .deterministic = one_in(32, 8),
          .other_device = one_in(32, 16),
          .busy_memory = busy_memory,
          .idle_others = side_stream && one_in(2, 32)};
}

/// What the cases of a turn share, cached from one case to the next.
struct OperatorTurn {
  rc::Random::Key key{};
  std::vector<Target> targets;       ///< the targets that the turn was drawn from
  std::size_t first = 0, count = 0;  ///< the range of targets of the turn's operator
  std::uint64_t seed = 0;            ///< of the turn's cases
};

/// Draws each operator with the same probability, however many targets it has.
void draw_operator(Choices& choices, OperatorTurn& turn) {
  const std::vector<Target>& targets = turn.targets;
  std::uint32_t groups = 1;
  for (std::size_t i = 1; i < targets.size(); ++i) groups += targets[i].op != targets[i - 1].op;
  std::uint32_t skip = choices.below(groups);
  turn.first = 0;
  while (skip > 0) {
    ++turn.first;
    skip -= targets[turn.first].op != targets[turn.first - 1].op;
  }
  std::size_t end = turn.first + 1;
  while (end < targets.size() && targets[end].op == targets[turn.first].op) ++end;
  turn.count = end - turn.first;
}

const OperatorTurn& turn_of(const rc::Random::Key& key, std::span<const Target> targets) {
  static thread_local OperatorTurn turn;
  const bool is_same = turn.key == key && turn.targets.size() == targets.size() &&
                       std::memcmp(turn.targets.data(), targets.data(), targets.size_bytes()) == 0;
  if (is_same) return turn;
  turn.key = key;
  turn.targets.assign(targets.begin(), targets.end());
  Choices choices{rc::Random(key)};
  draw_operator(choices, turn);
  turn.seed = choices.word();
  return turn;
}

bool broadcasts_self(const Overload& overload) {
  return std::ranges::any_of(overload.operands,
                             [](const OperandSpec& spec) { return spec.broadcasts; });
}

/// The shape selected by positions that replace the tensor's first `replaced` dimensions, cut off
/// so that one more dimension still fits into kMaxDims.
Dims selected_shape(const Dims& positions, const Dims& tensor, std::size_t replaced) {
  Dims shape = positions;
  for (std::size_t d = replaced; d < tensor.size() && shape.size() + 1 < kMaxDims; ++d)
    shape.push_back(tensor[d]);
  return shape;
}

Dims draw_input_shape(Choices& choices, const OperandSpec& spec, const Theme& theme) {
  const bool anew = spec.any_shape && !theme.dim && choices.one_in(2);
  return anew ? draw_operand_shape(choices, theme.size, theme.limits.max_rank)
              : draw_related_shape(choices, theme.shape);
}

/// An index shape that need not fit self's size along the dimension. Rarely the index is two to
/// four times as long as that dimension, in one dimension or in self's shape, so that large
/// dimensions, too, meet more indices than they have positions.
Dims draw_free_index_shape(Choices& choices, const Theme& theme) {
  if (theme.shape.empty() || !choices.one_in(64)) return {draw_size(choices, 300)};
  Dims shape = theme.shape;
  shape[*theme.dim] *= 2 + choices.below(3);
  return choices.one_in(2) ? shape : Dims{shape[*theme.dim]};
}

Dims draw_index_shape(Choices& choices, const OperandSpec& spec, const Theme& theme) {
  if (theme.size == CaseSize::kManyIndices) return draw_large_shape(choices, theme.limits.max_rank);
  // Huge cases are rare: indices that are not few on purpose should exceed a grid's limits, too.
  if (theme.size == CaseSize::kHuge && !theme.few_indices) return theme.shape;
  if (theme.dim && choices.one_in(8)) return draw_free_index_shape(choices, theme);
  Dims shape = draw_input_shape(choices, spec, theme);
  if (choices.one_in(16)) exchange_rank_0_and_1(choices, shape);
  if (choices.one_in(40) && !shape.empty()) shape[choices.below(shape.size())] = 0;
  if (theme.few_indices) {
    for (std::int64_t& size : shape) size = std::min<std::int64_t>(size, 5);
  }
  return shape;
}

Dims draw_value_shape(Choices& choices, const Overload& overload, const OperandSpec& spec, int k,
                      const Theme& theme) {
  // Some lists may hold an empty vector that fits no other tensor's shape.
  if (spec.is_list && choices.one_in(16)) return {0};
  // A value written through an index list broadcasts to the shape that the list selects. If other
  // operands broadcast with self, self is sometimes stretched too, along dimensions of its own.
  const bool through_list = theme.has_index_list && k > 0;
  const bool stretches =
      k > 0 ? through_list || spec.broadcasts : broadcasts_self(overload) && choices.one_in(4);
  if (k == 0 && !stretches) return theme.shape;
  const Dims around =
      through_list ? selected_shape(theme.list.theme, theme.shape, theme.list.size) : theme.shape;
  Dims shape =
      stretches ? draw_broadcast_shape(choices, around) : draw_input_shape(choices, spec, theme);
  if (k > 0 && choices.one_in(16)) exchange_rank_0_and_1(choices, shape);
  return shape;
}

Dtype draw_value_dtype(Choices& choices, Role role, int k, const Theme& theme) {
  if (role == Role::kMask) return choices.one_in(8) ? Dtype::kUInt8 : Dtype::kBool;
  // The repair of operators that require one dtype undoes this.
  if (role == Role::kValue && k > 0 && choices.one_in(4))
    return draw_dtype(choices, theme.limits.dtypes);
  return theme.dtype;
}

/// Draws the dtype and shape of an operand that is not an entry of an index list.
void draw_operand(Choices& choices, const Overload& overload, const OperandSpec& spec, int k,
                  const Theme& theme, Operand& operand) {
  switch (spec.role) {
    case Role::kIndex:
      operand.dtype = spec.any_integer    ? draw_integral_dtype(choices)
                      : choices.one_in(3) ? Dtype::kInt32
                                          : Dtype::kInt64;
      operand.shape = draw_index_shape(choices, spec, theme);
      return;
    case Role::kOut:
      // repair() sets both from the other operands, but for the dtype of few calls.
      operand.shape = theme.shape;
      operand.dtype = lists_values(overload) && choices.one_in(4)
                          ? draw_dtype(choices, theme.limits.dtypes)
                          : theme.dtype;
      if (choices.one_in(4)) draw_shape_to_resize(choices, theme.shape, operand);
      return;
    case Role::kScalar:
      operand.dtype = draw_scalar_dtype(choices);
      operand.shape.clear();
      return;
    case Role::kValue:
    case Role::kMask:
    case Role::kZeroOrNot:
    case Role::kIndexOrMask:
      operand.dtype = draw_value_dtype(choices, spec.role, k, theme);
      operand.shape = draw_value_shape(choices, overload, spec, k, theme);
      return;
  }
}

void give_other_values(Case& c) {
  for (Operand& operand : c.operands) {
    Fill& fill = operand.fill;
    fill.seed = static_cast<std::uint32_t>(hash1(fill.seed, 1) & 0xFFFF);
    // Where the dtype is wide enough, an element's index is the same with every seed.
    if (fill.kind == FillKind::kIndex) fill.kind = FillKind::kHash1;
  }
}

using Ranks = boost::container::static_vector<std::size_t, kMaxOperands>;

Ranks ranks_of(const Case& c) {
  Ranks ranks;
  for (const Operand& operand : c.operands) ranks.push_back(operand.shape.size());
  return ranks;
}

/// Draws the layouts anew of operands to which repair() gave another rank than was drawn: their
/// traits belong to dimensions that are gone, or leave others plain.
void lay_out_other_ranks(Choices& choices, const Theme& theme, const Ranks& drawn, Case& c) {
  bool any = false;
  for (std::size_t k = 0; k < c.operands.size(); ++k) {
    Operand& operand = c.operands[k];
    // A list may have lost entries before `out`, the last operand.
    const bool is_out = static_cast<int>(k) >= input_count(c);
    const std::size_t rank = is_out ? drawn.back() : drawn[k];
    if (!operand.present || operand.shape.size() == rank) continue;
    draw_layout(choices, theme.limits, operand);
    any = true;
  }
  if (any) repair(c, theme.limits);
}

/// Draws a case, which may lie outside the limits' contract if it cannot be brought into it.
void draw_once(Choices& choices, std::span<const Target> targets, const Limits& widest, Case& c) {
  const Target& target = targets[choices.below(targets.size())];
  c.op = target.op;
  c.overload = target.overload;
  c.variant = target.variant;
  c.breaks = 0;
  const OperatorInfo& row = operator_of(c);
  const Overload& overload = row.overloads[c.overload];
  const Theme theme = draw_theme(choices, widest, c);
  const std::size_t fixed = overload.operands.size() - (overload.operands.back().is_list ? 1 : 0);
  c.operands.resize(fixed + theme.list.size + (c.variant == Variant::kOut ? 1 : 0));
  std::size_t listed_dim = 0;  // self's dimension that the next entry of the list selects along
  for (std::size_t k = 0; k < c.operands.size(); ++k) {
    Operand& operand = c.operands[k];
    const OperandSpec& spec = spec_of(c, static_cast<int>(k));
    operand.present = true;
    operand.shares_memory_with = -1;
    operand.poked = false;
    operand.own_shape = false;
    operand.on_host = c.gpu.side_stream && spec.on_host != OnHost::kNever && choices.one_in(4);
    if (spec.is_list && theme.has_index_list) {
      draw_listed_index(choices, theme.limits, theme.shape, theme.list.theme, listed_dim, operand);
      operand.present = ((theme.list.gaps >> (k - fixed)) & 1) == 0;
      listed_dim += operand.present && is_mask(operand) ? operand.shape.size() : 1;
    } else {
      draw_operand(choices, overload, spec, static_cast<int>(k), theme, operand);
      // One that dimensions would bring back to the GPU mostly goes without them.
      if (operand.on_host && spec.on_host == OnHost::kZeroDim && !choices.one_in(4))
        operand.shape.clear();
    }
    draw_fill(choices, spec.role, operand);
    draw_layout(choices, theme.limits, operand);
    if (theme.order && operand.shape.size() == theme.order->size())
      lay_out_densely(*theme.order, operand.layout);
  }
  const bool illegal = widest.illegal && !row.rules.empty() && choices.one_in(19);
  if (illegal) c.breaks = row.rules[choices.below(row.rules.size())].number;
  if (takes_table(c, theme.limits) && choices.one_in(kTableOneIn)) draw_table(choices, c);
  const Ranks drawn = ranks_of(c);
  repair(c, theme.limits);
  lay_out_other_ranks(choices, theme, drawn, c);
  // repair() clears a rule that does not apply to the case; then another one is tried, twice.
  for (int attempt = 0; illegal && c.breaks == 0 && attempt < 2; ++attempt) {
    c.breaks = row.rules[choices.below(row.rules.size())].number;
    repair(c, theme.limits);
  }
}

}  // namespace

void draw(Choices& choices, std::span<const Target> targets, const Limits& limits, Case& c) {
  if (limits.contract == nullptr) return draw_once(choices, targets, limits, c);
  if (limits.contract->must_refuse && choices.one_in(kOneInOutside)) {
    const Contract loose = loosened(*limits.contract, static_cast<std::uint32_t>(choices.word()));
    Limits looser = limits;
    looser.contract = &loose;
    looser.illegal = false;
    return draw_once(choices, targets, looser, c);
  }
  for (int i = 0; i < kMostDraws; ++i) {
    draw_once(choices, targets, limits, c);
    if (keeps_when_applied(*limits.contract, c)) return;
  }
}

void draw_case(std::uint64_t seed, std::uint32_t worker, std::uint64_t number,
               std::span<const Target> targets, const Limits& limits, Case& c) {
  const std::uint64_t number_of_turn = number / kOperatorTurn;
  const OperatorTurn& turn = turn_of({seed, worker, number_of_turn, 2}, targets);
  c.environment = within(environment_of(worker, number, limits.gpu), limits);
  c.gpu = settings_of_turn(worker, number_of_turn);
  const bool is_second_twin = is_of_twins(number) && number % 2 == 1;
  Choices choices(hash1(is_second_twin ? number - 1 : number, turn.seed));
  draw(choices, targets.subspan(turn.first, turn.count), limits, c);
  if (!is_second_twin) return;
  give_other_values(c);
  repair(c, limits);
}

}  // namespace indexfuzz
