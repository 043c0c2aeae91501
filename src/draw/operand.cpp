#include "draw/operand.h"

#include <algorithm>
#include <array>

#include "draw/sizes.h"

namespace indexfuzz {
namespace {

constexpr std::array<FillKind, 16> kValueFills{
    FillKind::kIndex, FillKind::kIndex, FillKind::kIndex,    FillKind::kIndex,
    FillKind::kIndex, FillKind::kIndex, FillKind::kIndex,    FillKind::kSums8,
    FillKind::kHash1, FillKind::kHash1, FillKind::kHash1,    FillKind::kSums6,
    FillKind::kSums1, FillKind::kSums4, FillKind::kBetween1, FillKind::kSpecial1};
constexpr std::array<FillKind, 9> kScalarFills{
    FillKind::kOnes,     FillKind::kFactor1,  FillKind::kIndex,
    FillKind::kBetween1, FillKind::kHash1,    FillKind::kHash1,
    FillKind::kZeros,    FillKind::kSpecial1, FillKind::kWrapped1};
constexpr std::array<Dtype, 8> kScalarDtypeChoices{
    Dtype::kDouble, Dtype::kDouble, Dtype::kDouble, Dtype::kInt64,
    Dtype::kInt64,  Dtype::kInt64,  Dtype::kBool,   Dtype::kComplexDouble};
constexpr std::array<FillKind, 16> kIndexFills{
    FillKind::kRandom1,   FillKind::kRandom1,   FillKind::kRandom1,   FillKind::kRandom1,
    FillKind::kRandom1,   FillKind::kRuns1,     FillKind::kDistinct1, FillKind::kDistinct1,
    FillKind::kDistinct1, FillKind::kAscending, FillKind::kAscending, FillKind::kDescending,
    FillKind::kFew1,      FillKind::kFew1,      FillKind::kFirst,     FillKind::kLast};
constexpr std::array<FillKind, 8> kMaskFills{
    FillKind::kMaskRandom1, FillKind::kMaskRandom1, FillKind::kMaskRandom1, FillKind::kMaskRandom1,
    FillKind::kMaskFront,   FillKind::kMaskBack,    FillKind::kMaskSpread1, FillKind::kMaskMixed1};

// Few far operands fit into one batch, since each takes up a large part of the address space.
constexpr std::uint32_t kFarOneIn = 128;

void draw_mask_fill(Choices& choices, Operand& operand) {
  Fill& fill = operand.fill;
  fill.kind = kMaskFills[choices.below(kMaskFills.size())];
  const auto most = static_cast<std::uint32_t>(numel(operand.shape));
  fill.popcount =
      most > 0 ? 1 + static_cast<std::uint32_t>(std::uint64_t{most} * choices.bits(16) >> 16) : 0;
  // A uniform draw would hardly ever give none, few, nearly all or all.
  constexpr std::uint32_t kFew = 4;
  switch (choices.below(8)) {
    case 0: fill.popcount = std::min(most, choices.below(kFew)); break;
    case 1: fill.popcount = most - std::min(most, choices.below(kFew)); break;
    default: break;
  }
}

}  // namespace

Dtype draw_dtype(Choices& choices, DtypeSet allowed) {
  static constexpr std::array<Dtype, 6> kCommon{Dtype::kFloat,  Dtype::kFloat, Dtype::kBFloat16,
                                                Dtype::kDouble, Dtype::kInt64, Dtype::kHalf};
  static constexpr std::array<Dtype, 7> kUsual{
      Dtype::kBool,  Dtype::kUInt8,        Dtype::kInt8,         Dtype::kInt16,
      Dtype::kInt32, Dtype::kComplexFloat, Dtype::kComplexDouble};
  static constexpr std::array<Dtype, 8> kRare{
      Dtype::kComplexHalf,  Dtype::kUInt16,     Dtype::kUInt32,         Dtype::kUInt64,
      Dtype::kFloat8E4M3FN, Dtype::kFloat8E5M2, Dtype::kFloat8E4M3FNUZ, Dtype::kFloat8E5M2FNUZ};
  const std::uint32_t way = choices.bits(5);
  const Dtype dtype = way < 16   ? kCommon[choices.below(kCommon.size())]
                      : way < 31 ? kUsual[choices.below(kUsual.size())]
                                 : kRare[choices.below(kRare.size())];
  return contains(allowed, dtype) ? dtype : static_cast<Dtype>(choices.below(kDtypeCount));
}

Dtype draw_integral_dtype(Choices& choices) {
  static constexpr std::array<Dtype, 8> kIntegral{Dtype::kInt64, Dtype::kInt64, Dtype::kInt64,
                                                  Dtype::kInt32, Dtype::kInt32, Dtype::kUInt8,
                                                  Dtype::kInt16, Dtype::kInt8};
  return kIntegral[choices.bits(3)];
}

Dtype draw_scalar_dtype(Choices& choices) {
  return kScalarDtypeChoices[choices.below(kScalarDtypeChoices.size())];
}

/// The step between elements along a dimension of this size; wide ones are as those of a column or
/// of one attention head among several.
std::int16_t draw_step(Choices& choices, std::int64_t size) {
  static constexpr std::array<std::int16_t, 4> kWide{8, 16, 33, 64};
  // With a wide step a long dimension would take much memory.
  const bool wide = size <= 40 && choices.one_in(8);
  return wide ? kWide[choices.bits(2)] : static_cast<std::int16_t>(2 + choices.below(3));
}

/// How many elements are left out at one end of a dimension: a few, or one or two times its size,
/// as in a slice of packed queries, keys and values.
std::int16_t draw_gap(Choices& choices, std::int64_t size) {
  const std::uint32_t few = choices.below(4);
  if (!choices.one_in(8)) return static_cast<std::int16_t>(few);
  return static_cast<std::int16_t>(std::min<std::int64_t>(size * (1 + few % 2), 256));
}

SlicePlacement far_or_half(Choices& choices) {
  return choices.bits(1) != 0 ? SlicePlacement::kApartBy2To30 : SlicePlacement::kApartBy2To31;
}

void draw_order(Choices& choices, DimOrder& order) {
  const auto rank = static_cast<std::uint32_t>(order.size());
  if (rank < 2) return;
  const std::uint32_t a = choices.below(rank), b = choices.below(rank - 1);
  std::swap(order[a], order[b < a ? b : b + 1]);
  if (!choices.one_in(4)) return;
  for (std::uint32_t i = rank; i-- > 1;) std::swap(order[i], order[choices.below(i + 1)]);
}

DimOrder draw_shared_order(Choices& choices, int rank) {
  DimOrder order = contiguous_layout(rank).order;
  const bool images = rank == 4 || rank == 5;
  if (images && choices.one_in(2)) {
    std::rotate(order.begin() + 1, order.begin() + 2, order.end());
  } else {
    draw_order(choices, order);
  }
  return order;
}

void lay_out_densely(const DimOrder& order, Layout& layout) {
  make_contiguous(layout, static_cast<int>(order.size()));
  layout.order = order;
}

void expand_all_but_one(Choices& choices, Layout& layout) {
  for (DimLayout& dim : layout.dims) dim.expanded = true;
  const auto rank = static_cast<std::uint32_t>(layout.dims.size());
  layout.dims[choices.one_in(2) ? 0 : choices.below(rank)].expanded = false;
}

void draw_layout(Choices& choices, const Limits& limits, Operand& operand) {
  Layout& layout = operand.layout;
  const auto rank = static_cast<std::uint32_t>(operand.shape.size());
  make_contiguous(layout, static_cast<int>(rank));
  operand.guard = choices.bits(1) != 0 ? Guard::kRight : Guard::kLeft;
  const bool far = limits.strided && choices.one_in(kFarOneIn);
  operand.slices = far ? far_or_half(choices) : SlicePlacement::kByLayout;
  const std::uint32_t traits = choices.bits(8);
  if (!limits.strided || (traits & 1) != 0) return;
  if ((traits & 8) != 0) layout.offset = static_cast<std::int16_t>(1 + choices.below(9));
  if (rank == 0) return;
  if ((traits & 16) != 0) draw_order(choices, layout.order);
  if ((traits & 32) != 0) {
    do {
      const std::uint32_t d = choices.below(rank);
      layout.dims[d].step = draw_step(choices, operand.shape[d]);
    } while (choices.one_in(4));
  }
  if ((traits & 64) != 0) {
    do {
      const std::uint32_t d = choices.below(rank);
      layout.dims[d].before = draw_gap(choices, operand.shape[d]);
      layout.dims[d].after = draw_gap(choices, operand.shape[d]);
    } while (choices.one_in(4));
  }
  if ((traits & 128) != 0 && choices.below(8) < 5) {
    if (rank > 1 && choices.one_in(4)) {
      expand_all_but_one(choices, layout);
    } else {
      do {
        layout.dims[choices.below(rank)].expanded = true;
      } while (choices.one_in(4));
    }
  }
  if (rank > 1 && choices.one_in(32))
    layout.dims[layout.order[choices.below(rank - 1)]].slides = true;
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
      if (is_mask(operand)) return draw_mask_fill(choices, operand);
      [[fallthrough]];
    case Role::kIndex: {
      fill.kind = kIndexFills[choices.below(kIndexFills.size())];
      const std::uint32_t sign = choices.below(8);
      fill.negatives = sign == 0 ? Negatives::kAll : sign < 4 ? Negatives::kSome : Negatives::kNone;
      return;
    }
  }
}

void draw_shape_to_resize(Choices& choices, const Dims& theme, Operand& out) {
  out.own_shape = true;
  out.shape = choices.one_in(3) ? draw_related_shape(choices, theme) : Dims{0};
}

void draw_listed_index(Choices& choices, const Limits& limits, const Dims& self,
                       const Dims& index_theme, std::size_t dim, Operand& operand) {
  if (limits.masks && choices.one_in(4)) {
    operand.dtype = choices.one_in(4) ? Dtype::kUInt8 : Dtype::kBool;
    const std::size_t wanted = choices.one_in(8)   ? self.size()
                               : choices.one_in(3) ? 1 + choices.below(3)
                                                   : 1;
    const std::size_t begin = std::min(dim, self.size());
    operand.shape.assign(
        self.begin() + static_cast<std::ptrdiff_t>(begin),
        self.begin() + static_cast<std::ptrdiff_t>(std::min(begin + wanted, self.size())));
    if (operand.shape.empty()) operand.shape = {1};
    return;
  }
  operand.dtype = choices.one_in(4) ? Dtype::kInt32 : Dtype::kInt64;
  operand.shape = index_theme;
  if (choices.one_in(4) && !operand.shape.empty()) {
    operand.shape[choices.below(operand.shape.size())] = 1;
  }
  if (choices.one_in(8) && !operand.shape.empty()) operand.shape.erase(operand.shape.begin());
}

bool takes_table(const Case& c, const Limits& limits) {
  return limits.strided && operator_of(c).table != nullptr;
}

void draw_table(Choices& choices, Case& c) {
  const auto attributes = overload_of(c).attributes;
  for (std::size_t a = 0; a < attributes.size(); ++a)
    if (is_dim(attributes[a].type) && c.attributes[a] != kNoInt) c.attributes[a] = 0;
  const TableUse use = operator_of(c).table(c);
  if (use.table < 0) return;
  Operand& table = operand_at(c, use.table);
  make_contiguous(table.layout, rank(table.shape));
  table.slices =
      choices.bits(1) != 0 ? SlicePlacement::kLastBehind2To32 : SlicePlacement::kLastBehind2To31;
  operand_at(c, use.index).slices = SlicePlacement::kByLayout;
}

}  // namespace indexfuzz
