#include "draw/draw.h"

#include <algorithm>
#include <array>

#include "draw/sizes.h"
#include "ops/operator.h"

namespace indexfuzz {
namespace {

constexpr std::array<FillKind, 16> kValueFills{
    FillKind::kIndex, FillKind::kIndex, FillKind::kIndex, FillKind::kIndex,
    FillKind::kIndex, FillKind::kIndex, FillKind::kIndex, FillKind::kIndex,
    FillKind::kHash1, FillKind::kHash1, FillKind::kHash1, FillKind::kHash1,
    FillKind::kSums1, FillKind::kSums1, FillKind::kSums1, FillKind::kSpecial1};
constexpr std::array<FillKind, 8> kScalarFills{
    FillKind::kOnes,  FillKind::kOnes,  FillKind::kIndex, FillKind::kIndex,
    FillKind::kHash1, FillKind::kHash1, FillKind::kZeros, FillKind::kSpecial1};
constexpr std::array<Dtype, 8> kScalarDtypeChoices{
    Dtype::kDouble, Dtype::kDouble, Dtype::kDouble, Dtype::kInt64,
    Dtype::kInt64,  Dtype::kInt64,  Dtype::kBool,   Dtype::kComplexDouble};
constexpr std::array<FillKind, 16> kIndexFills{
    FillKind::kRandom1,   FillKind::kRandom1,   FillKind::kRandom1,   FillKind::kRandom1,
    FillKind::kRandom1,   FillKind::kRandom1,   FillKind::kDistinct1, FillKind::kDistinct1,
    FillKind::kDistinct1, FillKind::kAscending, FillKind::kAscending, FillKind::kDescending,
    FillKind::kFew1,      FillKind::kFew1,      FillKind::kFirst,     FillKind::kLast};
constexpr std::array<FillKind, 4> kMaskFills{FillKind::kMaskFront, FillKind::kMaskBack,
                                             FillKind::kMaskSpread1, FillKind::kMaskMixed1};

Dtype draw_dtype(Choices& choices, DtypeSet allowed) {
  // Half of all cases in the dtypes that most kernels are written for; few in those that most
  // kernels lack.
  static constexpr std::array<Dtype, 6> kCommon{Dtype::kFloat,  Dtype::kFloat, Dtype::kBFloat16,
                                                Dtype::kDouble, Dtype::kInt64, Dtype::kHalf};
  static constexpr std::array<Dtype, 7> kUsual{
      Dtype::kBool,  Dtype::kUInt8,        Dtype::kInt8,         Dtype::kInt16,
      Dtype::kInt32, Dtype::kComplexFloat, Dtype::kComplexDouble};
  static constexpr std::array<Dtype, 6> kRare{Dtype::kComplexHalf,  Dtype::kUInt16,
                                              Dtype::kUInt32,       Dtype::kUInt64,
                                              Dtype::kFloat8E4M3FN, Dtype::kFloat8E5M2};
  const std::uint32_t way = choices.bits(5);
  const Dtype dtype = way < 16   ? kCommon[choices.below(kCommon.size())]
                      : way < 31 ? kUsual[choices.below(kUsual.size())]
                                 : kRare[choices.below(kRare.size())];
  return contains(allowed, dtype) ? dtype : static_cast<Dtype>(choices.below(kDtypeCount));
}

void draw_layout(Choices& choices, const Limits& limits, Operand& operand) {
  Layout& layout = operand.layout;
  const auto rank = static_cast<std::uint32_t>(operand.shape.size());
  make_contiguous(layout, static_cast<int>(rank));
  operand.guard = choices.bits(1) != 0 ? Guard::kLeft : Guard::kRight;
  const std::uint32_t traits = choices.bits(8);
  // Half of all operands stay contiguous; the others take one trait or several.
  if (!limits.strided || (traits & 1) != 0) return;
  if ((traits & 8) != 0) layout.offset = static_cast<std::int16_t>(1 + choices.below(9));
  if (rank == 0) return;
  if ((traits & 16) != 0) {
    const std::uint32_t a = choices.below(rank), b = choices.below(rank);
    std::swap(layout.order[a], layout.order[b]);
    if (choices.one_in(4)) {
      for (std::uint32_t i = rank; i-- > 1;)
        std::swap(layout.order[i], layout.order[choices.below(i + 1)]);
    }
  }
  if ((traits & 32) != 0)
    layout.dims[choices.below(rank)].step = static_cast<std::int16_t>(2 + choices.below(3));
  if ((traits & 64) != 0) {
    DimLayout& dim = layout.dims[choices.below(rank)];
    dim.before = static_cast<std::int16_t>(choices.below(4));
    dim.after = static_cast<std::int16_t>(choices.below(4));
  }
  if ((traits & 128) != 0 && choices.one_in(2)) {
    do {
      layout.dims[choices.below(rank)].expanded = true;
    } while (choices.one_in(4));
  }
  if (rank > 1 && choices.one_in(32))
    layout.dims[layout.order[choices.below(rank - 1)]].slides = true;
}

void draw_mask_fill(Choices& choices, Operand& operand) {
  Fill& fill = operand.fill;
  fill.kind = kMaskFills[choices.below(kMaskFills.size())];
  const auto most = static_cast<std::uint32_t>(std::min<std::int64_t>(numel(operand.shape), 65535));
  fill.popcount = most > 0 ? 1 + choices.below(most) : 0;
  // All and none are not to be left to chance.
  if (choices.one_in(8))
    fill.popcount = choices.one_in(2) ? 0 : static_cast<std::uint32_t>(numel(operand.shape));
}

void draw_fill(Choices& choices, Role role, Operand& operand) {
  Fill& fill = operand.fill;
  fill = Fill{};
  fill.seed = choices.bits(16);
  switch (role) {
    case Role::kMask:
    case Role::kZeroOrNot: draw_mask_fill(choices, operand); return;
    case Role::kScalar: fill.kind = kScalarFills[choices.below(kScalarFills.size())]; return;
    case Role::kValue:
    case Role::kOut: fill.kind = kValueFills[choices.below(kValueFills.size())]; return;
    case Role::kIndexOrMask:
      if (contains(kMaskDtypes, operand.dtype)) return draw_mask_fill(choices, operand);
      [[fallthrough]];
    case Role::kIndex: {
      fill.kind = kIndexFills[choices.below(kIndexFills.size())];
      const std::uint32_t sign = choices.below(8);
      fill.negatives = sign == 0 ? Negatives::kAll : sign < 3 ? Negatives::kSome : Negatives::kNone;
      return;
    }
  }
}

/// One tensor of an index list: None, a mask over the dimensions from `position` on, or positions.
void draw_listed_index(Choices& choices, const Limits& limits, const Dims& self,
                       const Dims& index_theme, std::size_t position, Operand& operand) {
  const std::uint32_t way = choices.below(16);
  operand.present = way >= 2;
  if (way >= 12 && limits.masks) {
    operand.dtype = way == 15 ? Dtype::kUInt8 : Dtype::kBool;
    const std::size_t left = position < self.size() ? self.size() - position : 1;
    operand.shape.assign(
        std::min<std::size_t>(left, 1 + (choices.one_in(3) ? choices.below(3) : 0)), 1);
    return;
  }
  operand.dtype = choices.one_in(4) ? Dtype::kInt32 : Dtype::kInt64;
  operand.shape = index_theme;
  if (choices.one_in(4) && !operand.shape.empty()) {
    operand.shape[choices.below(static_cast<std::uint32_t>(operand.shape.size()))] = 1;
  }
  if (choices.one_in(8) && !operand.shape.empty()) operand.shape.erase(operand.shape.begin());
}

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

}  // namespace

void draw(Choices& choices, std::span<const Target> targets, const Limits& limits, Case& c) {
  const Target& target = targets[choices.below(static_cast<std::uint32_t>(targets.size()))];
  c.op = target.op;
  c.overload = target.overload;
  c.variant = target.variant;
  c.breaks = 0;
  const OperatorInfo& row = operator_of(c);
  const Overload& overload = row.overloads[c.overload];

  // Work is shared out among threads in pieces of some ten thousand elements.
  const bool large = c.environment.threads > 1 && choices.one_in(32);
  const Dims theme =
      large ? draw_large_shape(choices, limits.max_rank) : draw_shape(choices, limits.max_rank);
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
    // Two tensors with a gap between them, and perhaps one before: the broadcast shape then
    // comes first, in front of dimensions that it would otherwise follow.
    if (listed == 2 && most >= 3 && choices.one_in(3)) {
      gaps = most >= 4 && choices.one_in(2) ? 0b0101 : 0b0010;
      listed = gaps == 0b0101 ? 4 : 3;
    }
    const std::uint32_t index_rank = choices.below(8);
    index_theme.resize(index_rank < 5 ? 1 : index_rank < 6 ? 2 : index_rank < 7 ? 0 : 3);
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
    if (role == Role::kIndexOrMask && has_list) {
      draw_listed_index(choices, limits, theme, index_theme, k - fixed, operand);
      if (((gaps >> (k - fixed)) & 1) != 0) operand.present = false;
    } else if (role == Role::kIndex) {
      operand.dtype = choices.one_in(3) ? Dtype::kInt32 : Dtype::kInt64;
      operand.shape = draw_related_shape(choices, theme);
      if (choices.one_in(40) && !operand.shape.empty()) {
        operand.shape[choices.below(static_cast<std::uint32_t>(operand.shape.size()))] = 0;
      }
      if (small_index)
        std::ranges::for_each(operand.shape,
                              [](std::int64_t& size) { size = std::min<std::int64_t>(size, 5); });
    } else if (role == Role::kOut) {
      // Its shape follows from the others; the rank drawn here lets its layout have traits. (0):
      // resized.
      operand.shape = theme;
      if (choices.one_in(4)) operand.shape = {0};
    } else if (role == Role::kScalar) {
      operand.dtype = kScalarDtypeChoices[choices.below(kScalarDtypeChoices.size())];
      operand.shape.clear();
    } else {
      operand.dtype = dtype;
      if (role == Role::kMask) operand.dtype = choices.one_in(8) ? Dtype::kUInt8 : Dtype::kBool;
      // Operators that take one dtype only put it right.
      if (role == Role::kValue && k > 0 && choices.one_in(4))
        operand.dtype = draw_dtype(choices, limits.dtypes);
      operand.shape = k == 0            ? theme
                      : spec.broadcasts ? draw_broadcast_shape(choices, theme)
                                        : draw_related_shape(choices, theme);
    }
    draw_fill(choices, role, operand);
    draw_layout(choices, limits, operand);
  }
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
  out.environment = environment_of(worker, number);
  Choices turn = choices_of_turn({seed, worker, number / kOperatorTurn, 2});
  draw(choices, draw_operator(turn, targets), limits, out);
}

}  // namespace indexfuzz
