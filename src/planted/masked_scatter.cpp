#include <ATen/ops/broadcast_tensors.h>
#include <ATen/ops/nonzero.h>
#include <ATen/ops/put.h>

#include "masked.h"

namespace planted {
namespace {

/// The reference, or the reference with exactly one thing changed.
enum class Make {
  kReference,
  kSourceAtPosition,
  kSourceContiguous,
  kArithmeticBlend,
  kFourDimensions,
  kStorageLongEnough,
};

template <class Element>
void blend(char* to, const char* from, bool set) {
  change_element<Element>(to, from, [set](Element self, Element source) {
    const Element truth = set ? 1 : 0;
    return truth * source + (1 - truth) * self;
  });
}

/// Writes the source into `result`, which holds the broadcast self.
void scatter_elements(Make make, const Tensor& result, const Tensor& mask, const Tensor& source) {
  const Strided to = strided(result);
  Strided truths = strided(mask), from = strided(source);
  if (make == Make::kSourceContiguous) from.strides = contiguous_strides(from.sizes);
  // The defect: only the strides of the mask's last four dimensions are kept.
  if (make == Make::kFourDimensions)
    for (size_t d = 0; d + 4 < truths.strides.size(); ++d) truths.strides[d] = 0;
  const Combine move = mover(to.item);
  // Counts first, so that a source that is too short is refused before anything is written.
  int64_t needed = 0;
  each_position(to.sizes, [&](const Position& position) { needed += is_set(truths, position); });
  const int64_t there = make == Make::kStorageLongEnough
                            ? static_cast<int64_t>(source.storage().nbytes()) / from.item
                            : source.numel();
  TORCH_CHECK(needed <= there, "masked_scatter: ", needed, " elements are set, source of ", there);
  const Position strides = contiguous_strides(from.sizes);
  const auto source_at = [&](int64_t element) {
    Position position = from.sizes;
    for (size_t d = 0; d < position.size(); ++d) {
      position[d] = element / strides[d];
      if (d > 0) position[d] %= from.sizes[d];
    }
    return from.at(position);
  };
  const auto put = [&](char* to_element, const char* from_element, bool set) {
    if (make == Make::kArithmeticBlend && result.scalar_type() == at::kFloat)
      blend<float>(to_element, from_element, set);
    else if (make == Make::kArithmeticBlend && result.scalar_type() == at::kDouble)
      blend<double>(to_element, from_element, set);
    else if (set)
      move(to_element, from_element);
  };
  int64_t next = 0, element = 0;
  each_position(to.sizes, [&](const Position& position) {
    const bool set = is_set(truths, position);
    const int64_t wanted = make == Make::kSourceAtPosition ? element : next;
    if (next < source.numel()) put(to.at(position), source_at(wanted), set);
    next += set;
    ++element;
  });
}

void check_source(const Tensor& self, const Tensor& source) {
  TORCH_CHECK(self.scalar_type() == source.scalar_type(), "masked_scatter: self is ",
              self.scalar_type(), ", source ", source.scalar_type());
}

template <Make kMake>
Tensor masked_scatter(const Tensor& self, const Tensor& mask, const Tensor& source) {
  check_source(self, source);
  const Tensor result = contiguous_copy(self.expand(masked_shape(self, mask)));
  scatter_elements(kMake, result, mask, source);
  return result;
}

template <Make kMake>
Tensor& masked_scatter_in_place(Tensor& self, const Tensor& mask, const Tensor& source) {
  check_source(self, source);
  masked_shape_in_place(self, mask);
  at::assert_no_internal_overlap(self);
  scatter_elements(kMake, self, mask, source);
  return self;
}

/// Composed of nonzero() and a put() on a flat copy.
Tensor masked_scatter_composed(const Tensor& self, const Tensor& mask, const Tensor& source) {
  check_source(self, source);
  masked_shape(self, mask);
  const std::vector<Tensor> together = at::broadcast_tensors({self, mask});
  const Tensor rows = at::nonzero(together[1].reshape({-1})).reshape({-1});
  TORCH_CHECK(rows.numel() <= source.numel(), "masked_scatter: source is too short");
  const Tensor values = source.reshape({-1}).slice(0, 0, rows.numel());
  return at::put(together[0].contiguous().reshape({-1}), rows, values).reshape(together[0].sizes());
}

constexpr const char* kFunctional = "(Tensor self, Tensor mask, Tensor source) -> Tensor";
constexpr const char* kInPlace = "(Tensor(a!) self, Tensor mask, Tensor source) -> Tensor(a!)";

TORCH_LIBRARY_FRAGMENT(planted, m) {
  define(m, "masked_scatter_source_at_position", kFunctional,
         masked_scatter<Make::kSourceAtPosition>);
  define(m, "masked_scatter_source_contiguous_", kInPlace,
         masked_scatter_in_place<Make::kSourceContiguous>);
  define(m, "masked_scatter_arithmetic_blend", kFunctional, masked_scatter<Make::kArithmeticBlend>);
  define(m, "masked_scatter_four_dimensions_", kInPlace,
         masked_scatter_in_place<Make::kFourDimensions>);
  define(m, "masked_scatter_storage_long_enough", kFunctional,
         masked_scatter<Make::kStorageLongEnough>);
}

TORCH_LIBRARY_FRAGMENT(correct, m) {
  define(m, "masked_scatter_strided", kFunctional, masked_scatter<Make::kReference>);
  define(m, "masked_scatter_strided_", kInPlace, masked_scatter_in_place<Make::kReference>);
  define(m, "masked_scatter_composed", kFunctional, masked_scatter_composed);
}

}  // namespace
}  // namespace planted
