#include "draw/sizes.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

namespace indexfuzz {
namespace {

// Where kernels switch to another code path: vector widths, warps, tiles, blocks; and common widths
// of models, for which some kernels have special code.
constexpr std::array<std::int16_t, 42> kBoundaries{
    1,    2,    4,    7,    8,    9,    15,   16,   17,   31,   32,   33,   48,   63,
    64,   65,   96,   127,  128,  129,  255,  256,  257,  384,  511,  512,  513,  768,
    1000, 1023, 1024, 1025, 1536, 2047, 2048, 2049, 3072, 4095, 4096, 4097, 8191, 8192};
// Several blocks of 1,024, tiles of a scan with a remainder, the grain size of a parallel loop.
constexpr std::array<std::int32_t, 16> kMiddle{1500,  2047,  2048,  2049, 3001,  4096,
                                               4097,  5000,  8191,  8193, 12345, 16384,
                                               16385, 20011, 32767, 32768};
// Half of them exceed 65,535, the most blocks that a grid has in its second dimension.
constexpr std::array<std::int32_t, 10> kLarge{32769, 32832, 34816, 40000, 65535,
                                              65536, 65537, 65600, 66049, 70001};
constexpr std::array<std::int32_t, 8> kHuge{131073, 262145,  300001,  524289,
                                            786433, 1048577, 1200001, 1500000};

constexpr std::array<std::uint8_t, 32> kRanks{0, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2,
                                              2, 3, 3, 3, 3, 3, 3, 3, 4, 4, 4, 5, 5, 6, 7, 8};

/// The rank of a shape with many elements: 4 to 6 in one of three draws, else 1 to 3.
std::size_t draw_rank_of_many(Choices& choices, int max_rank) {
  const bool high = max_rank > 3 && choices.one_in(3);
  return (high ? 4 : 1) + choices.below(std::clamp(high ? max_rank - 3 : max_rank, 1, 3));
}

/// A shape whose number of elements is one of `totals`, or slightly more.
Dims draw_shape_of(Choices& choices, std::span<const std::int32_t> totals, int max_rank) {
  Dims shape(draw_rank_of_many(choices, max_rank), 1);
  std::int64_t rest = totals[choices.below(totals.size())];
  // Either one dimension is long, or the elements are spread over all dimensions.
  const bool shared = choices.one_in(2);
  for (std::size_t d = 0; d + 1 < shape.size(); ++d) {
    shape[d] =
        shared ? draw_size(choices, std::min<std::int64_t>(rest, 260)) : 1 + choices.below(2);
    rest = (rest + shape[d] - 1) / shape[d];
  }
  shape.back() = rest;
  // Up to rank 3 the first or the last dimension is the long one, above it any.
  if (shape.size() > 3) {
    std::swap(shape[choices.below(shape.size())], shape.back());
  } else if (choices.one_in(2)) {
    std::swap(shape.front(), shape.back());
  }
  return shape;
}

/// A shape in which hardly any dimension is 1, so that all of them matter. With sizes drawn as
/// usual the first few dimensions would use up the budget.
Dims draw_filled_shape(Choices& choices, int rank) {
  static constexpr std::array<std::uint8_t, 5> kSizes{2, 2, 2, 3, 1};
  std::int64_t budget = 1100;
  Dims shape(static_cast<std::size_t>(rank), 1);
  for (std::int64_t& size : shape) {
    size = std::min<std::int64_t>(kSizes[choices.below(kSizes.size())], budget);
    budget /= size;
  }
  return shape;
}

}  // namespace

std::int64_t draw_middle_size(Choices& choices) {
  return kMiddle[choices.below(kMiddle.size())];
}

Dims draw_large_shape(Choices& choices, int max_rank) {
  return draw_shape_of(choices, kLarge, max_rank);
}

Dims draw_huge_shape(Choices& choices, int max_rank) {
  return draw_shape_of(choices, kHuge, max_rank);
}

std::int64_t draw_size(Choices& choices, std::int64_t most) {
  if (most <= 1) return 1;
  const std::uint32_t way = choices.below(16);
  if (way < 7 || most <= 5) return 1 + choices.below(std::min<std::int64_t>(most, 6));
  // Sizes between the boundaries, by which a kernel may divide wrongly. Where they do not fit
  // twice, there would be no other dimension beside.
  constexpr std::int64_t kFirstBetween = 41, kLastBetween = 100;
  if (way == 7 && most >= 2 * kFirstBetween) {
    return kFirstBetween +
           choices.below(std::min<std::int64_t>(most, kLastBetween) - kFirstBetween + 1);
  }
  if (way < 13) {
    const auto fitting = static_cast<std::uint32_t>(std::ranges::upper_bound(kBoundaries, most) -
                                                    kBoundaries.begin());
    return kBoundaries[choices.below(fitting)];
  }
  const std::int64_t end = way < 15 ? 40 : 300;
  return 1 + choices.below(std::min<std::int64_t>(most, end));
}

std::int64_t draw_budget(Choices& choices, bool threads) {
  const std::uint32_t size_class = choices.bits(10);
  const std::uint32_t large = threads ? 16 : 1;
  if (size_class < large) return kLargeBudget;
  if (size_class < large + 2) return kMiddleBudget;
  if (size_class < large + 4) return 8192;
  if (size_class < large + 23) return 1100;
  return size_class < large + 219 ? 257 : 72;
}

Dims draw_shape(Choices& choices, int max_rank) {
  std::int64_t budget = draw_budget(choices);
  if (budget == kLargeBudget) return draw_large_shape(choices, max_rank);
  if (budget == kMiddleBudget) return draw_shape_of(choices, kMiddle, max_rank);
  int rank = kRanks[choices.below(kRanks.size())];
  // Some kernels have room for eight dimensions and do not check.
  if (rank == 8 && choices.one_in(4)) rank += 1 + static_cast<int>(choices.bits(1));
  rank = std::min(rank, max_rank);
  if (rank >= 5 && choices.one_in(4)) return draw_filled_shape(choices, rank);
  Dims shape(static_cast<std::size_t>(rank), 1);
  // Starting at a random dimension, so that the large one is not always at the same place.
  const std::uint32_t start = rank > 0 ? choices.below(rank) : 0;
  // Either each dimension takes what it likes, so that the last ones often get 1, or it leaves 2
  // for each of those that follow.
  const bool leaves_room = choices.one_in(2);
  for (int i = 0; i < rank; ++i) {
    const auto d = (start + static_cast<std::uint32_t>(i)) % static_cast<std::uint32_t>(rank);
    const std::int64_t most =
        leaves_room ? std::max<std::int64_t>(budget >> (rank - 1 - i), 2) : budget;
    shape[d] = draw_size(choices, std::min(most, budget));
    budget /= shape[d];
  }
  if (rank > 0 && choices.one_in(40)) shape[choices.below(rank)] = 0;
  return shape;
}

Dims draw_related_shape(Choices& choices, const Dims& theme) {
  Dims shape = theme;
  for (std::int64_t& size : shape) {
    const std::uint32_t way = choices.below(16);
    if (way < 9) continue;
    if (way < 13) {
      size = 1 + choices.below(std::clamp<std::int64_t>(size, 1, 65535));
    } else if (way < 15) {
      size = draw_size(choices, std::max<std::int64_t>(size, 8));
    } else {
      size = 1;
    }
  }
  return shape;
}

void exchange_rank_0_and_1(Choices& choices, Dims& shape) {
  if (shape.empty()) {
    shape = {1 + choices.below(3)};
  } else if (shape.size() == 1 || choices.one_in(2)) {
    shape.clear();
  }
}

Dims draw_broadcast_shape(Choices& choices, const Dims& theme) {
  Dims shape = theme;
  const std::uint32_t way = choices.below(8);
  if (way < 4) return shape;
  if (way == 7) {
    if (choices.one_in(4)) {
      shape.insert(shape.begin(), 1 + choices.below(3));
    } else {
      const auto dropped = choices.below(static_cast<std::uint32_t>(shape.size()) + 1);
      shape.erase(shape.begin(), shape.begin() + dropped);
    }
  }
  for (std::int64_t& size : shape) {
    if (choices.one_in(3)) size = 1;
  }
  return shape;
}

}  // namespace indexfuzz
