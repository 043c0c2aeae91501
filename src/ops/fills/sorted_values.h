#pragma once
// The fills of rows that are sorted, and of what is searched for in them. Each writes by a writer
// of write_values.cpp, whose codec makes the numbers of its dtype.

#include <algorithm>
#include <array>
#include <vector>

#include "ops/definition/operator.h"
#include "ops/fills/numbering.h"
#include "ops/fills/write_positions.h"

namespace indexfuzz {

/// Whether a seed lets sorted numbers lie near the end of the dtype's exact integers, where a
/// narrower one does not tell them apart.
inline bool are_sorted_large(std::uint64_t seed) {
  return (seed >> 2) % 4 == 3;
}

/// Lets kSorted1 and kSearched1 write small integers, of magnitudes below 128, in every dtype: with
/// one seed in four they are the largest that a dtype holds exactly.
inline void make_sorted_small(Fill& fill) {
  if (are_sorted_large(fill.seed)) fill.seed ^= 1u << 2;
}

/// The integers that sorted values are taken from.
struct SortedSpan {
  std::int64_t first, count;
};
inline SortedSpan sorted_span(const Operand& operand, const DtypeInfo& dtype) {
  constexpr std::array<std::int64_t, 4> kCounts{5, 16, 40, 100};
  const std::int64_t most = (std::int64_t{1} << std::min(dtype.exact_bits, 7)) - 1;
  const std::int64_t count = std::min(kCounts[operand.fill.seed % 4], most);
  if (dtype.exact_bits > 8 && are_sorted_large(operand.fill.seed))
    return {(std::int64_t{1} << std::min(dtype.exact_bits, 62)) - count - 3, count};
  return {dtype.is_signed ? -count / 2 : 0, count};
}

/// Calls write(rank_of), where rank_of(number, width) tells which of its row's sorted numbers a
/// value number has: the one of its place in the row.
void with_ranks_of_places(auto&& write) {
  write([](std::int64_t n, std::int64_t width) { return n % width; });
}
/// The same for rows that are sorted once the call's index operand, a sorter, has been applied; the
/// one of its place if there is none.
void with_ranks_of_index(const auto& writer, auto&& write) {
  const auto specs = overload_of(writer.c).operands;
  const auto spec = std::ranges::find(specs, Role::kIndex, &OperandSpec::role);
  if (spec == specs.end()) return with_ranks_of_places(write);
  static thread_local std::vector<std::int64_t> ranks;
  write_ranks(writer.operand, writer.numbering, operand_at(writer.c, spec - specs.begin()), ranks);
  write([](std::int64_t n, std::int64_t) { return ranks[static_cast<std::size_t>(n)]; });
}

/// kSorted1 and kSorted2: integers.
template <typename Writer>
void write_sorted(const Writer& writer, auto&& rank_of) {
  const std::int64_t width = values_of_a_row(writer.operand);
  const SortedSpan span = sorted_span(writer.operand, writer.dtype);
  writer.write_real([=, hash = writer.hash](std::int64_t n) {
    // Each row begins a little further on.
    const std::int64_t rank = rank_of(n, width);
    const std::int64_t shift = random_below(hash(n / width), 2);
    return Writer::NumberCodec::exact(span.first +
                                      std::min(rank * span.count / width + shift, span.count));
  });
}

/// kSearched1: integers of the span, and those on either side.
template <typename Writer>
void write_searched(const Writer& writer) {
  const SortedSpan span = sorted_span(writer.operand, writer.dtype);
  writer.write_real([=, hash = writer.hash, is_signed = writer.dtype.is_signed](std::int64_t n) {
    const std::int64_t value =
        span.first + random_below(hash(n), static_cast<std::uint64_t>(span.count + 2));
    return Writer::NumberCodec::exact(is_signed ? value - 1 : value);
  });
}

/// kSorted3 and kSorted4: the dtype's special numbers. Each row takes some that follow one another.
template <typename Writer>
void write_sorted_special(const Writer& writer, auto&& rank_of) {
  using Codec = typename Writer::NumberCodec;
  const std::int64_t width = values_of_a_row(writer.operand);
  writer.write_real([=, hash = writer.hash](std::int64_t n) {
    constexpr auto kCount = static_cast<std::int64_t>(Codec::kSpecialPlaces);
    const std::uint64_t of_row = hash(n / width);
    // One row in four takes them all.
    const bool is_whole = of_row % 4 == 0;
    const std::int64_t first = is_whole ? 0 : random_below(of_row >> 8, kCount);
    const std::int64_t count =
        is_whole ? kCount
                 : 1 + random_below(of_row >> 24, static_cast<std::uint64_t>(kCount - first));
    // Of a value that repeats along the row the rank may be any.
    const std::int64_t place = first + std::min(rank_of(n, width) * count / width, count - 1);
    return Codec::special_at(static_cast<std::size_t>(place), hash(n) >> 40);
  });
}

/// kSearched2: the special numbers, and the dtype's next ones on either side.
template <typename Writer>
void write_searched_special(const Writer& writer) {
  using Codec = typename Writer::NumberCodec;
  writer.write_real([hash = writer.hash](std::int64_t n) {
    const std::uint64_t h = hash(n);
    const auto place = static_cast<std::size_t>(random_below(h, Codec::kSpecialPlaces));
    const auto number = Codec::special_at(place, h >> 40);
    // Half are the numbers themselves.
    switch ((h >> 33) % 4) {
      case 0: return Codec::next(number, false);
      case 1: return Codec::next(number, true);
      default: return number;
    }
  });
}

}  // namespace indexfuzz
