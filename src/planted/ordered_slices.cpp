#include <ATen/ops/empty.h>

#include <numeric>
#include <optional>
#include <tuple>
#include <vector>

#include "strided.h"

namespace planted {
namespace {

/// The reference, or the reference with exactly one thing changed.
enum class Make {
  kReference,
  kFromTheEnd,
  kNanLeast,
  kTiesReversed,
  kPlaceInAllSlices,
  kLastForgotten,
  kAsTheyLie,
};

using Results = std::tuple<Tensor, Tensor>;
/// The elements of a slice, and the positions of some of them.
using Elements = std::vector<const char*>;
using Positions = std::vector<int64_t>;

/// Whether the first of two elements is less than the second.
using Less = bool (*)(const char*, const char*);

/// NaN is greater than any number or, with kNanLeast, less.
template <class Number, bool kNanLeast>
bool is_less(const char* first, const char* second) {
  Number a, b;
  std::memcpy(&a, first, sizeof a);
  std::memcpy(&b, second, sizeof b);
  const bool a_is_nan = a != a, b_is_nan = b != b;
  if (a_is_nan || b_is_nan) return kNanLeast ? a_is_nan && !b_is_nan : b_is_nan && !a_is_nan;
  return a < b;
}

template <bool kNanLeast>
Less comparer(at::ScalarType dtype) {
  switch (dtype) {
    case at::kBool:
    case at::kByte: return is_less<uint8_t, kNanLeast>;
    case at::kChar: return is_less<int8_t, kNanLeast>;
    case at::kShort: return is_less<int16_t, kNanLeast>;
    case at::kInt: return is_less<int32_t, kNanLeast>;
    case at::kLong: return is_less<int64_t, kNanLeast>;
    case at::kHalf: return is_less<at::Half, kNanLeast>;
    case at::kBFloat16: return is_less<at::BFloat16, kNanLeast>;
    case at::kFloat: return is_less<float, kNanLeast>;
    case at::kDouble: return is_less<double, kNanLeast>;
    default: TORCH_CHECK_NOT_IMPLEMENTED(false, "no order is implemented for '", dtype, "'");
  }
}

/// Slices of self along `dim`, of which choose(elements, positions) names those that the results
/// hold, and where.
template <class Choose>
Results order_slices(Make make, const Tensor& self, int64_t dim, std::optional<int64_t> places,
                     Choose&& choose) {
  const auto d = static_cast<size_t>(c10::maybe_wrap_dim(dim, self.dim()));
  const Strided from = strided_1d(self);
  Position sizes(self.sizes());
  if (places && !sizes.empty()) sizes[d] = *places;
  const Tensor values = at::empty(sizes, self.options()),
               indices = at::empty(sizes, self.options().dtype(at::kLong));
  const Strided to = strided_1d(values), named = strided_1d(indices);
  Elements elements(static_cast<size_t>(from.sizes[d]));
  Positions positions(elements.size());
  Position slices = from.sizes;
  slices[d] = std::min<int64_t>(slices[d], 1);
  int64_t slice = 0;
  each_position(slices, [&](Position at) {
    for (at[d] = 0; at[d] < from.sizes[d]; ++at[d])
      elements[static_cast<size_t>(at[d])] = from.at(at);
    choose(elements, positions);
    for (at[d] = 0; at[d] < to.sizes[d]; ++at[d]) {
      int64_t position = positions[static_cast<size_t>(at[d])];
      std::memcpy(to.at(at), elements[static_cast<size_t>(position)], static_cast<size_t>(to.item));
      // The defect: positions count on from slice to slice.
      if (make == Make::kPlaceInAllSlices) position += slice * from.sizes[d];
      std::memcpy(named.at(at), &position, sizeof position);
    }
    ++slice;
  });
  return {values, indices};
}

/// Sorts the positions of the elements; of equal ones the first comes first or, from the end, last.
void sort_positions(Make make, Less less, bool descending, const Elements& elements,
                    Positions& positions) {
  std::iota(positions.begin(), positions.end(), 0);
  if (make == Make::kFromTheEnd) std::reverse(positions.begin(), positions.end());
  const bool reverses = make == Make::kTiesReversed && descending;
  std::stable_sort(positions.begin(), positions.end(), [&](int64_t a, int64_t b) {
    if (descending && !reverses) std::swap(a, b);
    return less(elements[static_cast<size_t>(a)], elements[static_cast<size_t>(b)]);
  });
  // The defect: what is sorted in ascending order is reversed, and with it the order of equals.
  if (reverses) std::reverse(positions.begin(), positions.end());
}

template <Make kMake>
Results sort(const Tensor& self, int64_t dim, bool descending) {
  // The defect: NaN is less than any number.
  const Less less = comparer<kMake == Make::kNanLeast>(self.scalar_type());
  return order_slices(kMake, self, dim, std::nullopt, [&](const Elements& elements, Positions& to) {
    sort_positions(kMake, less, descending, elements, to);
  });
}

template <Make kMake>
Results stable_sort(const Tensor& self, std::optional<bool> stable, int64_t dim, bool descending) {
  return stable.value_or(false) ? sort<kMake>(self, dim, descending)
                                : sort<Make::kFromTheEnd>(self, dim, descending);
}

std::tuple<Tensor&, Tensor&> sort_out(const Tensor& self, int64_t dim, bool descending,
                                      Tensor& values, Tensor& indices) {
  const auto [sorted, places] = sort<Make::kReference>(self, dim, descending);
  fill_out(sorted, values);
  fill_out(places, indices);
  return {values, indices};
}

template <Make kMake>
Results topk(const Tensor& self, int64_t k, int64_t dim, bool largest) {
  const int64_t size = self.dim() == 0 ? 1 : self.size(c10::maybe_wrap_dim(dim, self.dim()));
  TORCH_CHECK(0 <= k && k <= size, k, " elements of ", size);
  const Less less = comparer<false>(self.scalar_type());
  return order_slices(kMake, self, dim, k, [&](const Elements& elements, Positions& to) {
    sort_positions(kMake, less, largest, elements, to);
    // The defect: the right elements are returned in the order in which they lie in the slice.
    if (kMake == Make::kAsTheyLie) std::sort(to.begin(), to.begin() + k);
  });
}

/// The element that no one up to it is before; of equal ones the last or, from the end, the first.
template <Make kMake, class Before>
Results running(const Tensor& self, int64_t dim, Before&& before) {
  return order_slices(kMake, self, dim, std::nullopt, [&](const Elements& elements, Positions& to) {
    size_t best = 0;
    for (size_t i = 0; i < elements.size(); ++i) {
      // The defect: of two elements and more the last is not looked at.
      const bool is_forgotten = kMake == Make::kLastForgotten && i + 1 == elements.size();
      const bool replaces = kMake == Make::kFromTheEnd ? before(elements[i], elements[best])
                                                       : !before(elements[best], elements[i]);
      if (replaces && !is_forgotten) best = i;
      to[i] = static_cast<int64_t>(best);
    }
  });
}

template <Make kMake>
Results cummax(const Tensor& self, int64_t dim) {
  // The defect: NaN is less than any number.
  const Less less = comparer<kMake == Make::kNanLeast>(self.scalar_type());
  return running<kMake>(self, dim, [less](const char* a, const char* b) { return less(b, a); });
}

template <Make kMake>
Results cummin(const Tensor& self, int64_t dim) {
  return running<kMake>(self, dim, comparer<true>(self.scalar_type()));
}

constexpr const char* kSort =
    "(Tensor self, int dim=-1, bool descending=False) -> (Tensor, Tensor)";
constexpr const char* kSortOut =
    ".out(Tensor self, int dim=-1, bool descending=False, *, Tensor(a!) values, Tensor(b!) "
    "indices) -> (Tensor(a!), Tensor(b!))";
constexpr const char* kStableSort =
    "(Tensor self, *, bool? stable, int dim=-1, bool descending=False) -> (Tensor, Tensor)";
constexpr const char* kTopk =
    "(Tensor self, int k, int dim=-1, bool largest=True) -> (Tensor, Tensor)";
constexpr const char* kRunning = "(Tensor self, int dim) -> (Tensor, Tensor)";

TORCH_LIBRARY_FRAGMENT(planted, m) {
  define(m, "sort_nan_least", kSort, sort<Make::kNanLeast>);
  define(m, "sort_place_in_all_slices", kSort, sort<Make::kPlaceInAllSlices>);
  define(m, "sort_ties_reversed", kStableSort, stable_sort<Make::kTiesReversed>);
  define(m, "topk_as_they_lie", kTopk, topk<Make::kAsTheyLie>);
  define(m, "cummax_nan_lost", kRunning, cummax<Make::kNanLeast>);
  define(m, "cummin_last_forgotten", kRunning, cummin<Make::kLastForgotten>);
}

TORCH_LIBRARY_FRAGMENT(correct, m) {
  define(m, "sort_from_the_end", kSort, sort<Make::kFromTheEnd>);
  define(m, "sort_stable", kStableSort, stable_sort<Make::kReference>);
  define(m, "sort_strided", kSortOut, sort_out);
  define(m, "topk_from_the_end", kTopk, topk<Make::kFromTheEnd>);
  define(m, "cummax_first_of_equals", kRunning, cummax<Make::kFromTheEnd>);
  define(m, "cummin_first_of_equals", kRunning, cummin<Make::kFromTheEnd>);
}

}  // namespace
}  // namespace planted
