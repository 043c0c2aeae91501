#include <ATen/ops/arange.h>
#include <ATen/ops/index_select.h>

#include <vector>

#include "strided.h"

namespace planted {
namespace {

/// The reference, or the reference with exactly one thing changed.
enum class Make {
  kReference,
  kNegativeDimsForgotten,
  kTwoDimsOnly,
  kMiddleOfOddRows,
  kMemoryOrder,
};

/// Which dimensions are reversed.
std::vector<bool> reversed_dims(Make make, const Tensor& self, at::IntArrayRef dims) {
  std::vector<bool> reversed(static_cast<size_t>(self.dim()));
  for (const int64_t dim : dims) {
    const int64_t wrapped = c10::maybe_wrap_dim(dim, self.dim());
    if (reversed.empty()) continue;
    TORCH_CHECK(!reversed[static_cast<size_t>(wrapped)], "dim ", wrapped, " is named twice");
    // The defect: a dimension that is counted from the end is checked, but not reversed.
    if (make == Make::kNegativeDimsForgotten && dim < 0) continue;
    reversed[static_cast<size_t>(wrapped)] = true;
    // The defect: there is room for two dimensions.
    if (make == Make::kTwoDimsOnly && std::count(reversed.begin(), reversed.end(), true) == 2)
      break;
  }
  return reversed;
}

template <Make kMake>
Tensor flip(const Tensor& self, at::IntArrayRef dims) {
  const std::vector<bool> reversed = reversed_dims(kMake, self, dims);
  const Tensor result = at::empty(self.sizes(), self.options());
  Strided from = strided(self);
  const Strided to = strided(result);
  // The defect: a dense self is read in memory order, whatever the order of its dimensions.
  if (kMake == Make::kMemoryOrder && self.is_non_overlapping_and_dense())
    from.strides = contiguous_strides(from.sizes);
  each_position(to.sizes, [&](const Position& position) {
    Position source = position;
    for (size_t d = 0; d < source.size(); ++d)
      if (reversed[d]) source[d] = to.sizes[d] - 1 - source[d];
    // The defect: pairs are exchanged up to one before the middle of a long row of odd length.
    const size_t last = source.size() - 1;
    if (kMake == Make::kMiddleOfOddRows && !source.empty() && to.sizes[last] > 32 &&
        to.sizes[last] % 2 != 0 && 2 * (position[last] + 1) == to.sizes[last] - 1)
      source = position;
    std::memcpy(to.at(position), from.at(source), static_cast<size_t>(from.item));
  });
  return result;
}

/// Composed of one index_select for each dimension.
Tensor flip_composed(const Tensor& self, at::IntArrayRef dims) {
  const std::vector<bool> reversed = reversed_dims(Make::kReference, self, dims);
  Tensor result = self.clone();
  for (int64_t d = 0; d < self.dim(); ++d) {
    if (!reversed[static_cast<size_t>(d)] || self.size(d) == 0) continue;
    result = at::index_select(result, d, at::arange(self.size(d) - 1, -1, -1));
  }
  return result;
}

constexpr const char* kFunctional = "(Tensor self, int[] dims) -> Tensor";

TORCH_LIBRARY_FRAGMENT(planted, m) {
  define(m, "flip_negative_dims_forgotten", kFunctional, flip<Make::kNegativeDimsForgotten>);
  define(m, "flip_two_dims_only", kFunctional, flip<Make::kTwoDimsOnly>);
  define(m, "flip_middle_of_odd_rows", kFunctional, flip<Make::kMiddleOfOddRows>);
  define(m, "flip_memory_order", kFunctional, flip<Make::kMemoryOrder>);
}

TORCH_LIBRARY_FRAGMENT(correct, m) {
  define(m, "flip_strided", kFunctional, flip<Make::kReference>);
  define(m, "flip_composed", kFunctional, flip_composed);
}

}  // namespace
}  // namespace planted
