#include "ops/fills/write_positions.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <vector>

#include "case/number.h"
#include "case/walk.h"
#include "ops/fills/numbering.h"
#include "ops/numbers/integral.h"

namespace indexfuzz {
namespace {

/// A step that visits every residue of `count` once.
std::int64_t coprime_step(std::int64_t count, std::uint64_t seed) {
  if (count <= 2) return 1;
  std::int64_t step =
      1 + static_cast<std::int64_t>(hash1(seed, 77) % static_cast<std::uint64_t>(count - 1));
  while (std::gcd(step, count) != 1) step = step % (count - 1) + 1;
  return step;
}

/// value mod count; 32-bit division takes a third of the time of 64-bit division.
std::uint64_t remainder_of(std::uint64_t value, std::uint64_t count) {
  if (value >> 32 == 0)
    return static_cast<std::uint32_t>(value) % static_cast<std::uint32_t>(count);
  return value % count;
}

/// `count` numbers from 0 on with steps of random lengths, about one of three steps none at all.
/// The last number (of several) is bound - 1 if `to_end`; else a step from it to there is left.
void make_irregular_offsets(std::int64_t count, std::uint64_t bound, std::uint64_t seed,
                            bool to_end, std::vector<std::uint64_t>& offsets) {
  offsets.clear();
  std::uint64_t total = 0;
  for (std::int64_t n = 0; n < count; ++n) {
    offsets.push_back(total);
    const std::uint64_t h = hash1(static_cast<std::uint64_t>(n), seed);
    if (h % 3 != 0) total += 1 + static_cast<std::uint64_t>(random_below(h >> 32, 8));
  }
  if (to_end && count > 0) total = offsets.back();
  for (std::uint64_t& offset : offsets) {
    if (total > 0) offset = offset * (bound - 1) / total;
  }
  if (to_end && count > 1) offsets.back() = bound - 1;
}

/// offsets5 or lengths1: at least `count` numbers, in rows of `width`.
void make_rows_of_steps(bool are_lengths, std::int64_t count, std::int64_t width,
                        std::uint64_t bound, std::uint64_t seed,
                        std::vector<std::uint64_t>& numbers) {
  static thread_local std::vector<std::uint64_t> offsets;
  numbers.clear();
  const std::int64_t steps = are_lengths ? width : width - 1;
  for (std::uint64_t row = 0; static_cast<std::int64_t>(numbers.size()) < count; ++row) {
    const std::uint64_t h = hash1(row, seed);
    if (seed != 0 && (h & 3) != 0) {
      make_irregular_offsets(steps + 1, bound, h, true, offsets);
    } else {
      offsets.clear();
      const auto last = static_cast<std::uint64_t>(std::max<std::int64_t>(steps, 1));
      for (std::int64_t n = 0; n <= steps; ++n)
        offsets.push_back(static_cast<std::uint64_t>(n) * (bound - 1) / last);
    }
    for (std::size_t n = 0; n < static_cast<std::size_t>(width); ++n)
      numbers.push_back(are_lengths ? offsets[n + 1] - offsets[n] : offsets[n]);
  }
}

/// Number n of counts1. Seeds 7 to 70, and those that are the same modulo 64, have a large number
/// at places 0 to 63, so that each place has one under a small seed.
std::int64_t count1(std::uint64_t n, std::uint64_t seed) {
  const std::uint64_t h = hash1(n, seed);
  constexpr std::int64_t kLeastLarge = 128, kLarge = kBoundOfCounts1 - kLeastLarge;
  if (n == (seed + 57) % 64) return kLeastLarge + random_below(h >> 32, kLarge);
  return random_below(h, (h >> 61) == 0 ? 16 : 4);
}

template <typename T>
void write_legal_indices(const Operand& operand, std::int64_t bound, std::byte* destination) {
  const Numbering numbering = number_values(operand);
  const Fill& fill = operand.fill;
  const std::uint64_t seed = fill.seed;
  bound = std::max<std::int64_t>(bound, 1);
  const auto ubound = static_cast<std::uint64_t>(bound);
  const auto write = [&](auto&& position) {
    write_each(operand, numbering, reinterpret_cast<T*>(destination), [&](std::int64_t n) {
      const auto un = static_cast<std::uint64_t>(n);
      std::int64_t value = position(un);
      if (fill.negatives == Negatives::kAll ||
          (fill.negatives == Negatives::kSome && (hash1(un, seed + 1) & 1)))
        value -= bound;
      return static_cast<T>(value);
    });
  };
  const auto around = [ubound](std::uint64_t n) {
    return static_cast<std::int64_t>(n < ubound ? n : n % ubound);
  };
  switch (fill.kind) {
    case FillKind::kLast: return write([=](std::uint64_t) { return bound - 1; });
    case FillKind::kAscending: return write(around);
    case FillKind::kDescending:
      return write([=](std::uint64_t n) { return bound - 1 - around(n); });
    case FillKind::kRandom1:
      return write([=](std::uint64_t n) { return random_below(hash1(n, seed), ubound); });
    case FillKind::kFew1:
      return write([=](std::uint64_t n) {
        return random_below(hash1(n, seed), std::min<std::uint64_t>(ubound, 2));
      });
    case FillKind::kDistinct1: {
      const auto step = static_cast<std::uint64_t>(coprime_step(bound, seed));
      return write([=](std::uint64_t n) {
        return static_cast<std::int64_t>((static_cast<std::uint64_t>(around(n)) * step + seed) %
                                         ubound);
      });
    }
    case FillKind::kDistinct2: {
      const auto step = static_cast<std::uint64_t>(coprime_step(bound, seed));
      const auto turn = static_cast<std::uint64_t>(1 + random_below(hash1(seed, 80), ubound - 1));
      return write([=](std::uint64_t n) {
        return static_cast<std::int64_t>((n % ubound * step + n / ubound * turn + seed) % ubound);
      });
    }
    case FillKind::kRuns1: {
      const std::uint64_t h = hash1(seed, 78);
      const std::int64_t span = 1 + random_below(h >> 32, ubound);
      const std::int64_t first = random_below(hash1(seed, 79), ubound - span + 1);
      const auto count = static_cast<std::uint64_t>(std::max<std::int64_t>(numbering.count, 1));
      // Runs of one length, or from long to short.
      const bool even = (h & 1) != 0;
      return write([=](std::uint64_t n) {
        const std::uint64_t part = even ? n * span / count : n * n / count * span / count;
        return first + static_cast<std::int64_t>(part);
      });
    }
    case FillKind::kOffsets1:
    case FillKind::kOffsets2: {
      const bool to_end = fill.kind == FillKind::kOffsets2;
      const auto last = static_cast<std::uint64_t>(
          std::max<std::int64_t>(to_end ? numbering.count - 1 : numbering.count, 1));
      const std::uint64_t most = to_end ? ubound - 1 : ubound;
      const bool even = (hash1(seed, 78) & 1) != 0;
      return write([=](std::uint64_t n) {
        return static_cast<std::int64_t>(even ? n * most / last : n * n / last * most / last);
      });
    }
    case FillKind::kOffsets3:
    case FillKind::kOffsets4: {
      static thread_local std::vector<std::uint64_t> offsets;
      make_irregular_offsets(numbering.count, ubound, seed, fill.kind == FillKind::kOffsets4,
                             offsets);
      return write([](std::uint64_t n) { return static_cast<std::int64_t>(offsets[n]); });
    }
    case FillKind::kOffsets5:
    case FillKind::kLengths1: {
      static thread_local std::vector<std::uint64_t> numbers;
      const std::int64_t width = operand.shape.empty() ? 1 : operand.shape.back();
      make_rows_of_steps(fill.kind == FillKind::kLengths1, numbering.count,
                         std::max<std::int64_t>(width, 1), ubound, seed, numbers);
      return write([](std::uint64_t n) { return static_cast<std::int64_t>(numbers[n]); });
    }
    case FillKind::kCounts1:
      return write([=](std::uint64_t n) { return std::min(count1(n, seed), bound - 1); });
    default: return write([](std::uint64_t) { return std::int64_t{0}; });
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

/// Chooses `set` of `count` positions; every choice is equally likely.
void choose_positions(std::uint64_t count, std::uint64_t set, std::uint64_t seed,
                      std::uint8_t* __restrict chosen) {
  for (std::uint64_t n = 0; n < count; ++n) {
    const auto left = static_cast<std::uint64_t>(random_below(hash1(n, seed), count - n));
    chosen[n] = left < set ? 1 : 0;
    set -= chosen[n];
  }
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

/// Writes any number but 0, often one with a single byte set: a subnormal, the lowest integer, NaN.
void write_odd_truth(Dtype dtype, std::uint64_t h, std::byte* element) {
  const std::size_t size = item_size(dtype), part = item_size(component(dtype));
  const std::size_t at = h % size;
  if (!is_floating_or_complex(dtype)) {
    element[at] = std::byte(1 + (h >> 32) % 255);
  } else if ((h >> 61) == 0) {
    // All ones are NaN in every format but the fnuz ones, which have it in place of -0.
    std::memset(element + at / part * part, is_fnuz(dtype) ? 0x80 : 0xFF, part);
  } else {
    // The byte gets more than the sign bit, so that the number is not -0.
    element[at] |= std::byte(1 + (h >> 32) % 127);
  }
}

}  // namespace

void write_indices(const Operand& operand, std::int64_t bound, std::byte* destination) {
  with_integral(operand.dtype,
                [&]<typename T>(T) { write_legal_indices<T>(operand, bound, destination); });
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

void write_mask(const Operand& operand, std::byte* destination) {
  const Numbering numbering = number_values(operand);
  const auto count = static_cast<std::uint64_t>(std::max<std::int64_t>(numbering.count, 1));
  const std::uint64_t set = std::min<std::uint64_t>(operand.fill.popcount, count);
  const std::uint64_t seed = operand.fill.seed;
  const bool odd_truths = operand.dtype == Dtype::kUInt8 && (seed & 1);
  const auto step =
      static_cast<std::uint64_t>(operand.fill.kind == FillKind::kMaskMixed1
                                     ? coprime_step(static_cast<std::int64_t>(count), seed)
                                     : 1);
  auto* const out = reinterpret_cast<std::uint8_t*>(destination);
  const auto write = [&](auto&& is_true) {
    if (!odd_truths) {
      write_each(operand, numbering, out, [&](std::int64_t n) {
        return static_cast<std::uint8_t>(is_true(static_cast<std::uint64_t>(n)));
      });
      return;
    }
    write_each(operand, numbering, out, [&](std::int64_t n) {
      const auto un = static_cast<std::uint64_t>(n);
      return static_cast<std::uint8_t>(is_true(un) ? 1 + hash1(un, seed) % 255 : 0);
    });
  };
  switch (operand.fill.kind) {
    case FillKind::kMaskBack: return write([&](std::uint64_t n) { return n >= count - set; });
    case FillKind::kMaskSpread1:
      // True where the integer part of n × set / count grows from n to n + 1: where the remainder
      // plus `set` reaches `count`.
      return write([&](std::uint64_t n) { return remainder_of(n * set, count) + set >= count; });
    case FillKind::kMaskMixed1:
      return write([&](std::uint64_t n) { return remainder_of(n * step + seed, count) < set; });
    case FillKind::kMaskRandom1: {
      if (numbering.dense && !odd_truths && numbering.count > 0)
        return choose_positions(count, set, seed, out);
      static thread_local std::vector<std::uint8_t> chosen;
      chosen.resize(count);
      choose_positions(count, set, seed, chosen.data());
      return write([&](std::uint64_t n) { return chosen[n] != 0; });
    }
    default: return write([&](std::uint64_t n) { return n < set; });
  }
}

void write_truths(const Operand& operand, std::byte* destination) {
  static thread_local std::vector<std::byte> truths;
  static thread_local std::vector<std::uint64_t> hashes;
  const auto count = static_cast<std::size_t>(numel(operand.shape));
  truths.resize(count);
  write_mask(operand, truths.data());
  const std::size_t size = item_size(operand.dtype), part = item_size(component(operand.dtype));
  std::memset(destination, 0, count * size);
  if ((operand.fill.seed & 1) == 0) {
    for (std::size_t i = 0; i < count; ++i) {
      if (truths[i] != std::byte{0})
        write_exact(component(operand.dtype), 1, destination + i * size);
    }
    return;
  }
  hashes.resize(count);
  write_each(operand, number_values(operand), hashes.data(), [&](std::int64_t n) {
    return hash1(static_cast<std::uint64_t>(n), operand.fill.seed);
  });
  for (std::size_t i = 0; i < count; ++i, destination += size) {
    // Zeros of either sign, before the set elements are written.
    if (is_floating_or_complex(operand.dtype) && !is_fnuz(operand.dtype)) {
      for (std::size_t sign = part - 1; sign < size; sign += part)
        destination[sign] = std::byte((hashes[i] >> (24 + sign)) << 7);
    }
    if (truths[i] != std::byte{0}) write_odd_truth(operand.dtype, hashes[i], destination);
  }
}

}  // namespace indexfuzz
