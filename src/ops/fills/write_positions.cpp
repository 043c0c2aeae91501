#include "ops/fills/write_positions.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <span>
#include <vector>

#include "case/number.h"
#include "case/walk.h"
#include "ops/fills/numbering.h"
#include "ops/numbers/integral.h"

namespace indexfuzz {
namespace {

/// Where the last of several offsets lies: at bound - 1, or a step before it.
enum class LastOffset : bool { kAtBound, kBeforeBound };

// The lists below lie in memory that each call on a thread uses again: an allocation would cost
// more than most lists do.

/// `count` numbers from 0 on with steps of random lengths, about one of three steps none at all.
/// Valid until the next call.
std::span<const std::uint64_t> irregular_offsets(std::int64_t count, std::uint64_t bound,
                                                 std::uint64_t seed, LastOffset last) {
  static thread_local std::vector<std::uint64_t> offsets;
  offsets.clear();
  std::uint64_t total = 0;
  for (std::int64_t n = 0; n < count; ++n) {
    offsets.push_back(total);
    const std::uint64_t h = hash1(static_cast<std::uint64_t>(n), seed);
    if (h % 3 != 0) total += 1 + static_cast<std::uint64_t>(random_below(h >> 32, 8));
  }
  const bool to_bound = last == LastOffset::kAtBound;
  if (to_bound && count > 0) total = offsets.back();
  for (std::uint64_t& offset : offsets) {
    if (total > 0) offset = offset * (bound - 1) / total;
  }
  if (to_bound && count > 1) offsets.back() = bound - 1;
  return offsets;
}

/// `count` numbers from 0 to bound - 1 with steps of one length, but for rounding. Valid until the
/// next call.
std::span<const std::uint64_t> regular_offsets(std::int64_t count, std::uint64_t bound) {
  static thread_local std::vector<std::uint64_t> offsets;
  offsets.clear();
  const auto last = static_cast<std::uint64_t>(std::max<std::int64_t>(count - 1, 1));
  for (std::int64_t n = 0; n < count; ++n)
    offsets.push_back(static_cast<std::uint64_t>(n) * (bound - 1) / last);
  return offsets;
}

/// What a row of steps says of them.
enum class RowsOf : bool { kOffsets, kLengths };

/// offsets5 or lengths1: at least `count` numbers, in rows of `width`. Valid until the next call.
std::span<const std::uint64_t> rows_of_steps(RowsOf what, std::int64_t count, std::int64_t width,
                                             std::uint64_t bound, std::uint64_t seed) {
  static thread_local std::vector<std::uint64_t> numbers;
  numbers.clear();
  const bool are_lengths = what == RowsOf::kLengths;
  const std::int64_t ends = are_lengths ? width + 1 : width;
  for (std::uint64_t row = 0; static_cast<std::int64_t>(numbers.size()) < count; ++row) {
    const std::uint64_t h = hash1(row, seed);
    const std::span<const std::uint64_t> offsets =
        seed != 0 && (h & 3) != 0 ? irregular_offsets(ends, bound, h, LastOffset::kAtBound)
                                  : regular_offsets(ends, bound);
    for (std::size_t n = 0; n < static_cast<std::size_t>(width); ++n)
      numbers.push_back(are_lengths ? offsets[n + 1] - offsets[n] : offsets[n]);
  }
  return numbers;
}

/// Number n of counts1. Seeds 7 to 70, and those that are the same modulo 64, have a large number
/// at places 0 to 63, so that each place has one under a small seed.
std::int64_t count1(std::uint64_t n, std::uint64_t seed) {
  const std::uint64_t h = hash1(n, seed);
  constexpr std::int64_t kLeastLarge = 128, kLarge = kBoundOfCounts1 - kLeastLarge;
  if (n == (seed + 57) % 64) return kLeastLarge + random_below(h >> 32, kLarge);
  return random_below(h, (h >> 61) == 0 ? 16 : 4);
}

/// An index operand, and where its elements are written.
struct IndexFill {
  const Operand& operand;
  Numbering numbering;
  std::uint64_t seed;
  std::int64_t bound;  ///< at least 1
  std::byte* destination;

  std::uint64_t ubound() const { return static_cast<std::uint64_t>(bound); }
};

/// Writes position(n), which lies in [0, bound), as value number n, or the negative number that
/// names the same position.
template <typename T, typename Position>
void write_positions(const IndexFill& fill, Position position) {
  const Negatives negatives = fill.operand.fill.negatives;
  write_each(fill.operand, fill.numbering, reinterpret_cast<T*>(fill.destination),
             [position, negatives, seed = fill.seed, bound = fill.bound](std::int64_t n) {
               const auto un = static_cast<std::uint64_t>(n);
               std::int64_t value = position(un);
               if (negatives == Negatives::kAll ||
                   (negatives == Negatives::kSome && (hash1(un, seed + 1) & 1)))
                 value -= bound;
               return static_cast<T>(value);
             });
}

/// n mod bound: most positions are the first of their kind.
std::int64_t wrapped_around(std::uint64_t n, std::uint64_t bound) {
  return static_cast<std::int64_t>(n < bound ? n : n % bound);
}

template <typename T>
void write_in_order(const IndexFill& fill) {
  const std::int64_t last = fill.bound - 1;
  const std::uint64_t ubound = fill.ubound();
  switch (fill.operand.fill.kind) {
    case FillKind::kLast: return write_positions<T>(fill, [=](std::uint64_t) { return last; });
    case FillKind::kDescending:
      return write_positions<T>(fill,
                                [=](std::uint64_t n) { return last - wrapped_around(n, ubound); });
    default:
      return write_positions<T>(fill, [=](std::uint64_t n) { return wrapped_around(n, ubound); });
  }
}

/// Each position is as likely as any other of the first `bound`.
template <typename T>
void write_random(const IndexFill& fill, std::uint64_t bound) {
  write_positions<T>(fill, [bound, seed = fill.seed](std::uint64_t n) {
    return random_below(hash1(n, seed), bound);
  });
}

/// Each position once before any comes again; distinct2 turns the order each time.
template <typename T>
void write_distinct(const IndexFill& fill) {
  const std::uint64_t ubound = fill.ubound(), seed = fill.seed;
  const auto step = static_cast<std::uint64_t>(coprime_step(fill.bound, seed));
  if (fill.operand.fill.kind == FillKind::kDistinct1) {
    return write_positions<T>(fill, [=](std::uint64_t n) {
      const auto around = static_cast<std::uint64_t>(wrapped_around(n, ubound));
      return static_cast<std::int64_t>((around * step + seed) % ubound);
    });
  }
  const auto turn = static_cast<std::uint64_t>(1 + random_below(hash1(seed, 80), ubound - 1));
  write_positions<T>(fill, [=](std::uint64_t n) {
    return static_cast<std::int64_t>((n % ubound * step + n / ubound * turn + seed) % ubound);
  });
}

/// Runs of one length, or from long to short.
template <typename T>
void write_runs(const IndexFill& fill) {
  const std::uint64_t h = hash1(fill.seed, 78);
  const std::int64_t span = 1 + random_below(h >> 32, fill.ubound());
  const std::int64_t first =
      random_below(hash1(fill.seed, 79), fill.ubound() - static_cast<std::uint64_t>(span) + 1);
  const auto count = static_cast<std::uint64_t>(std::max<std::int64_t>(fill.numbering.count, 1));
  const bool even = (h & 1) != 0;
  write_positions<T>(fill, [=](std::uint64_t n) {
    const std::uint64_t part = even ? n * span / count : n * n / count * span / count;
    return first + static_cast<std::int64_t>(part);
  });
}

/// offsets1 and offsets2: steps of one length, or from short to long.
template <typename T>
void write_regular_offsets(const IndexFill& fill, LastOffset last_offset) {
  const bool to_bound = last_offset == LastOffset::kAtBound;
  const std::int64_t count = fill.numbering.count;
  const auto last =
      static_cast<std::uint64_t>(std::max<std::int64_t>(to_bound ? count - 1 : count, 1));
  const std::uint64_t most = to_bound ? fill.ubound() - 1 : fill.ubound();
  const bool even = (hash1(fill.seed, 78) & 1) != 0;
  write_positions<T>(fill, [=](std::uint64_t n) {
    return static_cast<std::int64_t>(even ? n * most / last : n * n / last * most / last);
  });
}

/// Writes positions[n] as value number n.
template <typename T>
void write_listed(const IndexFill& fill, std::span<const std::uint64_t> positions) {
  write_positions<T>(
      fill, [positions](std::uint64_t n) { return static_cast<std::int64_t>(positions[n]); });
}

template <typename T>
void write_rows_of_steps(const IndexFill& fill, RowsOf what) {
  const Dims& shape = fill.operand.shape;
  const std::int64_t width = shape.empty() ? 1 : std::max<std::int64_t>(shape.back(), 1);
  write_listed<T>(fill, rows_of_steps(what, fill.numbering.count, width, fill.ubound(), fill.seed));
}

template <typename T>
void write_legal_indices(const IndexFill& fill) {
  const std::uint64_t ubound = fill.ubound(), seed = fill.seed;
  switch (fill.operand.fill.kind) {
    case FillKind::kLast:
    case FillKind::kAscending:
    case FillKind::kDescending: return write_in_order<T>(fill);
    case FillKind::kRandom1: return write_random<T>(fill, ubound);
    case FillKind::kFew1: return write_random<T>(fill, std::min<std::uint64_t>(ubound, 2));
    case FillKind::kDistinct1:
    case FillKind::kDistinct2: return write_distinct<T>(fill);
    case FillKind::kRuns1: return write_runs<T>(fill);
    case FillKind::kOffsets1: return write_regular_offsets<T>(fill, LastOffset::kBeforeBound);
    case FillKind::kOffsets2: return write_regular_offsets<T>(fill, LastOffset::kAtBound);
    case FillKind::kOffsets3:
      return write_listed<T>(
          fill, irregular_offsets(fill.numbering.count, ubound, seed, LastOffset::kBeforeBound));
    case FillKind::kOffsets4:
      return write_listed<T>(
          fill, irregular_offsets(fill.numbering.count, ubound, seed, LastOffset::kAtBound));
    case FillKind::kOffsets5: return write_rows_of_steps<T>(fill, RowsOf::kOffsets);
    case FillKind::kLengths1: return write_rows_of_steps<T>(fill, RowsOf::kLengths);
    case FillKind::kCounts1:
      return write_positions<T>(fill, [seed, last = fill.bound - 1](std::uint64_t n) {
        return std::min(count1(n, seed), last);
      });
    default: return write_positions<T>(fill, [](std::uint64_t) { return std::int64_t{0}; });
  }
}

/// Writes to every element that shares its value with the poked one: those whose coordinates differ
/// from its own only in repeated dimensions.
template <typename T>
void poke(std::byte* destination, const Operand& operand) {
  const T value = static_cast<T>(operand.poke_value);
  const Dims strides = row_major_strides(operand.shape);
  Dims repeated = operand.shape;
  std::int64_t first = operand.poke_position, left = operand.poke_position;
  for (std::size_t d = 0; d < repeated.size(); ++d) {
    const std::int64_t coordinate = left / strides[d];
    left -= coordinate * strides[d];
    if (((operand.fill.repeats >> d) & 1) == 0)
      repeated[d] = 1;
    else
      first -= coordinate * strides[d];
  }
  for_each_element(
      repeated,
      [&](std::int64_t, std::int64_t offset) {
        std::memcpy(destination + (first + offset) * static_cast<std::int64_t>(sizeof value),
                    &value, sizeof value);
      },
      strides);
}

/// Whether any run of elements no longer than the number of positions names none twice, and no two
/// elements share a value number.
bool visits_each_once(const Operand& index) {
  const FillKind kind = index.fill.kind;
  return (kind == FillKind::kAscending || kind == FillKind::kDescending ||
          kind == FillKind::kDistinct1) &&
         index.fill.repeats == 0 &&
         std::ranges::none_of(index.layout.dims,
                              [](const DimLayout& dim) { return dim.expanded || dim.slides; });
}

}  // namespace

void write_indices(const Operand& operand, std::int64_t bound, std::byte* destination) {
  const IndexFill fill{.operand = operand,
                       .numbering = number_values(operand),
                       .seed = operand.fill.seed,
                       .bound = std::max<std::int64_t>(bound, 1),
                       .destination = destination};
  with_integral(operand.dtype, [&]<typename T>(T) { write_legal_indices<T>(fill); });
}

void write_poked_index(const Operand& operand, std::byte* destination) {
  with_integral(operand.dtype, [&]<typename T>(T) { poke<T>(destination, operand); });
}

void write_ranks(const Operand& sorted, const Numbering& numbering, const Operand& index,
                 std::vector<std::int64_t>& ranks) {
  const std::int64_t width = sorted.shape.empty() ? 1 : sorted.shape.back();
  ranks.resize(static_cast<std::size_t>(numbering.count));
  // An illegal call may have a sorter of another shape or dtype, or one that names no element.
  if (index.shape != sorted.shape || index.dtype != Dtype::kInt64) {
    std::iota(ranks.begin(), ranks.end(), std::int64_t{0});
    return;
  }
  static thread_local std::vector<std::int64_t> positions, rank_of;
  positions.resize(static_cast<std::size_t>(numel(index.shape)));
  rank_of.resize(positions.size());
  write_indices(index, width, reinterpret_cast<std::byte*>(positions.data()));
  for (std::size_t i = 0; i < positions.size(); ++i) {
    const std::size_t column = i % static_cast<std::size_t>(width);
    rank_of[i - column + static_cast<std::size_t>(positions[i])] =
        static_cast<std::int64_t>(column);
  }
  if (numbering.dense) {
    ranks = rank_of;
    return;
  }
  for_each_element(
      sorted.shape,
      [&](std::int64_t i, std::int64_t number) {
        ranks[static_cast<std::size_t>(number)] = rank_of[static_cast<std::size_t>(i)];
      },
      numbering.strides);
}

bool is_distinct(const Operand& index, std::int64_t bound) {
  const std::int64_t count = numel(index.shape);
  return count <= 1 || (count <= bound && visits_each_once(index));
}

bool is_distinct_along(const Operand& index, int dim, std::int64_t bound) {
  if (index.shape.empty()) return true;
  const auto d = static_cast<std::size_t>(dim);
  if (index.shape[d] <= 1) return true;
  return bound > 0 && visits_each_once(index) &&
         index.shape[d] <= bound / std::gcd(row_major_strides(index.shape)[d], bound);
}

}  // namespace indexfuzz
