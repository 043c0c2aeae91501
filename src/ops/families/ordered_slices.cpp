#include "ops/families/ordered_slices.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <span>
#include <vector>

#include "ops/families/compared_numbers.h"
#include "ops/families/moves.h"
#include "ops/families/self_dim.h"
#include "ops/repair/clamp.h"
#include "ops/repair/settle_layout.h"

namespace indexfuzz {
namespace {

using Positions = std::vector<std::int64_t>;

/// One slice of self and that of the result: their first elements. Neighbours lie `step` apart.
struct Slice {
  std::int64_t from, to, step;
};

/// How many elements a slice of self has, and how many places one of the result.
struct SliceSizes {
  std::int64_t elements, places;
};
SliceSizes slice_sizes(const Case& c) {
  const int dim = dim_of(c);
  return {size_at(c.operands[ordered::kSelf].shape, dim),
          size_at(operator_of(c).result(c).shape, dim)};
}

/// Calls f(slice) for each slice that has places.
template <typename F>
void for_each_slice(const Case& c, SliceSizes sizes, F&& f) {
  const Dims& self = c.operands[ordered::kSelf].shape;
  const int dim = dim_of(c);
  std::int64_t outer = 1, inner = 1;
  for (int d = 0; d < dim; ++d) outer *= size_at(self, d);
  for (int d = dim + 1; d < rank(self); ++d) inner *= size_at(self, d);
  if (sizes.places == 0) return;
  for (std::int64_t o = 0; o < outer; ++o) {
    for (std::int64_t i = 0; i < inner; ++i)
      f(Slice{o * sizes.elements * inner + i, o * sizes.places * inner + i, inner});
  }
}

bool is_so_far(PlaceOrder order) {
  return order == PlaceOrder::kLeastSoFar || order == PlaceOrder::kGreatestSoFar;
}

/// Whether `a` must stand before `b`, or replaces it in what is found so far.
template <typename Number>
bool precedes(PlaceOrder order, Number a, Number b) {
  switch (order) {
    case PlaceOrder::kLeastFirst: return is_less(a, b);
    case PlaceOrder::kLeastSoFar: return is_nan(a) ? !is_nan(b) : a < b;
    case PlaceOrder::kGreatestFirst:
    case PlaceOrder::kGreatestSoFar: return is_less(b, a);
  }
  return false;
}

/// The positions of the elements of a slice, as `order` has them; equal ones rise.
template <typename Number>
void sort_positions(PlaceOrder order, std::span<const Number> numbers, Positions& positions) {
  positions.resize(numbers.size());
  std::iota(positions.begin(), positions.end(), 0);
  std::ranges::stable_sort(positions, [&](std::int64_t a, std::int64_t b) {
    return precedes(order, numbers[static_cast<std::size_t>(a)],
                    numbers[static_cast<std::size_t>(b)]);
  });
}

/// For each place the position of the element that it holds.
template <typename Number>
void choose(PlaceOrder order, std::span<const Number> numbers, Positions& chosen) {
  if (!is_so_far(order)) return sort_positions(order, numbers, chosen);
  chosen.resize(numbers.size());
  std::size_t best = 0;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (!precedes(order, numbers[best], numbers[i])) best = i;
    chosen[i] = static_cast<std::int64_t>(best);
  }
}

/// Calls f(slice, numbers of the slice, what its places hold) for each slice; there may be more of
/// the latter than places.
template <typename F>
void for_each_ordered(const OracleInput& input, PlaceOrder order, SliceSizes sizes, F&& f) {
  with_numbers(input, ordered::kSelf, [&]<typename Number>(const Number* all) {
    static thread_local std::vector<Number> numbers;
    static thread_local Positions chosen;
    numbers.resize(static_cast<std::size_t>(sizes.elements));
    for_each_slice(input.c, sizes, [&](const Slice& slice) {
      for (std::size_t i = 0; i < numbers.size(); ++i)
        numbers[i] = all[slice.from + static_cast<std::int64_t>(i) * slice.step];
      const std::span<const Number> line(numbers);
      choose(order, line, chosen);
      f(slice, line, chosen);
    });
  });
}

/// The positions of a slice, those of equal elements next to one another; and for each position
/// where the run of its equals begins in them, and where it ends.
struct Runs {
  Positions positions, begin, end;
};
template <typename Number>
void find_runs(std::span<const Number> numbers, Runs& runs) {
  const std::size_t count = numbers.size();
  sort_positions(PlaceOrder::kLeastFirst, numbers, runs.positions);
  runs.begin.resize(count);
  runs.end.resize(count);
  const auto number = [&](std::size_t r) {
    return numbers[static_cast<std::size_t>(runs.positions[r])];
  };
  for (std::size_t begin = 0, end = 0; begin < count; begin = end) {
    while (end < count && !is_less(number(begin), number(end))) ++end;
    for (std::size_t r = begin; r < end; ++r) {
      const auto position = static_cast<std::size_t>(runs.positions[r]);
      runs.begin[position] = static_cast<std::int64_t>(begin);
      runs.end[position] = static_cast<std::int64_t>(end);
    }
  }
}

/// How many elements of the slice may be in, or be named for, a place.
std::int64_t reach_of(PlaceOrder order, SliceSizes sizes, std::int64_t place) {
  return is_so_far(order) ? place + 1 : sizes.elements;
}

/// Passes for each place the positions of all elements that equal the one it holds.
void pass_positions(const OracleInput& input, PlaceOrder order, ContributionSink sink,
                    void* context) {
  const SliceSizes sizes = slice_sizes(input.c);
  const std::int64_t* const counted = counted_up_to(sizes.elements);
  static thread_local Runs runs;
  for_each_ordered(
      input, order, sizes, [&](const Slice& slice, auto numbers, const Positions& chosen) {
        find_runs(numbers, runs);
        for (std::int64_t place = 0; place < sizes.places; ++place) {
          const auto held = static_cast<std::size_t>(chosen[static_cast<std::size_t>(place)]);
          const std::int64_t reach = reach_of(order, sizes, place);
          for (auto r = runs.begin[held]; r < runs.end[held]; ++r) {
            const std::int64_t position = runs.positions[static_cast<std::size_t>(r)];
            if (position >= reach) break;
            const auto* const named = reinterpret_cast<const std::byte*>(counted + position);
            sink(context, {slice.to + place * slice.step, named});
          }
        }
      });
}

/// Passes for each place that holds a zero one of each sign, if there is one. Other equal elements
/// have the same bits, or are NaN.
void pass_zeros(const OracleInput& input, PlaceOrder order, ContributionSink sink, void* context) {
  const SliceSizes sizes = slice_sizes(input.c);
  const auto& [data, count] = input.operands[ordered::kSelf];
  const auto bytes = static_cast<std::int64_t>(item_size(input.c.operands[ordered::kSelf].dtype));
  for_each_ordered(
      input, order, sizes,
      [&, data = data](const Slice& slice, auto numbers, const Positions& chosen) {
        const std::byte* zeros[2] = {};  // by sign
        std::int64_t seen = 0;
        for (std::int64_t place = 0; place < sizes.places; ++place) {
          for (; seen < reach_of(order, sizes, place); ++seen) {
            const auto number = static_cast<double>(numbers[static_cast<std::size_t>(seen)]);
            if (number == 0)
              zeros[std::signbit(number)] = data + (slice.from + seen * slice.step) * bytes;
          }
          const auto held = chosen[static_cast<std::size_t>(place)];
          if (numbers[static_cast<std::size_t>(held)] != 0) continue;
          for (const std::byte* zero : zeros) {
            if (zero != nullptr) sink(context, {slice.to + place * slice.step, zero});
          }
        }
      });
}

// How many pairs of elements all slices together may have: few where all elements may be equal, and
// where they are of 16 bits so many that some 2^20 pairs are. The oracle keeps 16 bytes for each.
constexpr std::int64_t kMostPairs = std::int64_t{1} << 14,
                       kMostPairsOf16Bits = std::int64_t{1} << (20 + 15);

/// How many elements each slice may then have, of `size`.
std::int64_t most_elements(std::int64_t size, std::int64_t slices, std::int64_t most_pairs) {
  constexpr std::int64_t kFew = 8;
  while (size > kFew && slices * size * size > most_pairs) size /= 2;
  return size;
}

}  // namespace

bool judges_indices(const Case& c) {
  return overload_of(c).judged == ordered::kIndices;
}

void repair_ordered(Case& c, const Limits& limits, DtypeSet dtypes) {
  Operand& self = c.operands[ordered::kSelf];
  clamp_dtype(self.dtype, within(dtypes, limits));
  clamp_shape(self.shape, limits.max_rank, limits.max_elements);
  clamp_fill(self.fill, FillFamily::kValue);
  FillKind& kind = self.fill.kind;
  // Few numbers, each of them many times; and what counts up is sorted already, and reads no seed.
  if (kind == FillKind::kSums4) kind = FillKind::kClose1;
  if (kind == FillKind::kIndex && self.fill.seed % 2 != 0)
    kind = self.fill.seed % 4 == 1 ? FillKind::kHash1 : FillKind::kSearched1;
}

void limit_equals(Case& c, const Limits& limits) {
  if (!judges_indices(c) || operator_of(c).agreement(c) != Agreement::kAnyContributor) return;
  Operand& self = c.operands[ordered::kSelf];
  const int dim = dim_of(c);
  const std::int64_t size = size_at(self.shape, dim),
                     slices = numel(self.shape) / std::max<std::int64_t>(size, 1),
                     most = most_elements(size, slices, kMostPairs);
  if (size == most) return;
  const auto d = static_cast<std::size_t>(dim);
  if (item_size(self.dtype) == 1) {
    self.shape[d] = most;
    return;
  }
  if (item_size(self.dtype) == 2) self.shape[d] = most_elements(size, slices, kMostPairsOf16Bits);
  if (self.fill.kind != FillKind::kIndex) self.fill.kind = FillKind::kHash1;
  settle_layout(self, limits, Overlap::kAny);
  self.layout.dims[d].expanded = self.layout.dims[d].slides = false;
  self.fill.repeats &= static_cast<std::uint16_t>(~(1u << d));
  settle_layout(self, limits, Overlap::kAny);
}

ResultSpec ordered_result(const Case& c, const Dims& shape) {
  return {shape, judges_indices(c) ? Dtype::kInt64 : c.operands[ordered::kSelf].dtype};
}

Agreement agreement_of_equals(const Case& c) {
  const bool differ_in_bits = is_floating_or_complex(c.operands[ordered::kSelf].dtype);
  return judges_indices(c) || differ_in_bits ? Agreement::kAnyContributor : Agreement::kExact;
}

void write_ordered(const OracleInput& input, PlaceOrder order, std::byte* destination) {
  const SliceSizes sizes = slice_sizes(input.c);
  if (judges_indices(input.c)) {
    auto* const to = reinterpret_cast<std::int64_t*>(destination);
    for_each_ordered(
        input, order, sizes, [&](const Slice& slice, const auto&, const Positions& chosen) {
          for (std::int64_t place = 0; place < sizes.places; ++place)
            to[slice.to + place * slice.step] = chosen[static_cast<std::size_t>(place)];
        });
    return;
  }
  const auto& [data, count] = input.operands[ordered::kSelf];
  move_elements(
      input.c.operands[ordered::kSelf].dtype, destination, data, [&](auto* to, const auto* from) {
        for_each_ordered(
            input, order, sizes, [&](const Slice& slice, const auto&, const Positions& chosen) {
              for (std::int64_t place = 0; place < sizes.places; ++place)
                to[slice.to + place * slice.step] =
                    from[slice.from + chosen[static_cast<std::size_t>(place)] * slice.step];
            });
      });
}

void pass_equals(const OracleInput& input, PlaceOrder order, ContributionSink sink, void* context) {
  if (judges_indices(input.c))
    pass_positions(input, order, sink, context);
  else
    pass_zeros(input, order, sink, context);
}

}  // namespace indexfuzz
