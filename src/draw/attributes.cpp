#include "draw/attributes.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "case/dim_set.h"
#include "draw/sizes.h"

namespace indexfuzz {
namespace {

std::int64_t draw_dim(Choices& choices, int dims) {
  return static_cast<std::int64_t>(choices.below(2 * static_cast<std::uint32_t>(dims))) - dims;
}

/// Mostly one or two dimensions, some of them counted from the end.
std::int64_t draw_dims(Choices& choices, int rank) {
  std::int64_t set = 0;
  if (rank == 0) return set;
  const std::uint32_t count = 1 + choices.below(choices.one_in(4) ? rank : 2);
  for (std::uint32_t i = 0; i < count; ++i) {
    const int dim = static_cast<int>(choices.below(rank));
    set |= dim_bit(choices.one_in(3) ? dim - rank : dim);
  }
  return choices.one_in(16) ? 0 : legal_dims(set, rank);
}

/// How many rows, repeats or results: a usual size, none, some thousands, or 65,536 or more.
std::int64_t draw_count(Choices& choices, bool large) {
  if (choices.one_in(large ? 2 : 256)) return 65'536 + choices.below(65'536);
  if (choices.one_in(40)) return 0;
  return choices.one_in(16) ? draw_middle_size(choices) : draw_size(choices, 300);
}

/// Often kNoRow or one of the first rows, sometimes counted from the end.
std::int64_t draw_row(Choices& choices) {
  const std::uint32_t way = choices.below(8);
  if (way < 2) return kNoRow;
  if (way < 6) return choices.below(3);
  return way == 6 ? draw_size(choices, 300) : -draw_size(choices, 300);
}

/// Mostly one of the first or of the last rows.
std::int64_t draw_optional_row(Choices& choices) {
  const std::uint32_t way = choices.below(8);
  if (way == 0) return kNoInt;
  if (way < 4) return choices.below(3);
  if (way < 6) return -1 - choices.below(3);
  return way == 6 ? draw_size(choices, 300) : -draw_size(choices, 300);
}

/// About as far as 32 or 64 bits reach.
std::int64_t draw_far(Choices& choices) {
  static constexpr std::array<std::int64_t, 8> kFar{
      (1ll << 31) - 1, 1ll << 31, (1ll << 32) - 1, 1ll << 32,
      (1ll << 32) + 1, 1ll << 62, INT64_MAX - 1,   INT64_MAX};
  return kFar[choices.below(kFar.size())];
}

/// Mostly 0 or one that reaches into the last two dimensions of the shape, sometimes just beyond
/// them, rarely far.
std::int64_t draw_any_int(Choices& choices, const Dims& shape) {
  const std::uint32_t way = choices.below(16);
  if (way < 2) return 0;
  const std::int64_t sign = choices.bits(1) != 0 ? 1 : -1;
  if (way == 2) {
    const std::int64_t far = draw_far(choices);
    return sign > 0 ? far : -far - 1;
  }
  if (way < 6) return sign;
  const std::size_t last = std::min<std::size_t>(shape.size(), 2);
  const std::int64_t size = last == 0 ? 1 : shape[shape.size() - 1 - choices.below(last)];
  if (way < 8) return sign * (size - 1 + choices.below(3));
  return sign * choices.below(std::min<std::int64_t>(size + 1, 65'535));
}

/// None in half of the draws, so that a start mostly lies before an end; else mostly a place that
/// one of the dimensions has, or just beyond it, rarely far.
std::int64_t draw_optional_place(Choices& choices, const Dims& shape) {
  if (choices.one_in(2)) return kNoInt;
  const std::int64_t sign = choices.bits(1) != 0 ? 1 : -1;
  const std::uint32_t way = choices.below(16);
  if (way == 0) return sign * draw_far(choices);
  const std::int64_t size = shape.empty() ? 1 : shape[choices.below(shape.size())];
  return way < 3 ? sign * (size + choices.below(2))
                 : sign * choices.below(std::min<std::int64_t>(size + 1, 65'535));
}

/// Mostly 1, 2 or 3, sometimes about as many as one of the dimensions has, rarely far more.
std::int64_t draw_step(Choices& choices, const Dims& shape) {
  const std::uint32_t way = choices.below(32);
  if (way == 0) return draw_far(choices);
  if (way < 14) return 1;
  if (way < 26 || shape.empty()) return 2 + choices.below(2);
  return std::max<std::int64_t>(shape[choices.below(shape.size())] - 1 + choices.below(3), 1);
}

}  // namespace

std::int64_t draw_attribute(Choices& choices, const AttributeSpec& attribute, const Dims& self,
                            bool large) {
  switch (attribute.type) {
    case AttributeType::kBool: return choices.bits(1);
    case AttributeType::kSize: return draw_count(choices, large);
    case AttributeType::kDims: return draw_dims(choices, rank(self));
    case AttributeType::kRow: return draw_row(choices);
    case AttributeType::kOptionalRow: return draw_optional_row(choices);
    case AttributeType::kOptionalPlace: return draw_optional_place(choices, self);
    case AttributeType::kStep: return draw_step(choices, self);
    case AttributeType::kAnyInt: return draw_any_int(choices, self);
    case AttributeType::kChoice:
    case AttributeType::kCode:
      return choices.below(static_cast<std::uint32_t>(attribute.choices.size()));
    case AttributeType::kOptionalSize: return choices.bits(1) != 0 ? kNoInt : 0;
    case AttributeType::kOptionalDim:
      if (choices.one_in(4)) return kNoInt;
      [[fallthrough]];
    case AttributeType::kDim:
    case AttributeType::kNewDim:
    case AttributeType::kOuterDim: break;
  }
  return draw_dim(choices, nameable_dims(attribute.type, rank(self)));
}

}  // namespace indexfuzz
