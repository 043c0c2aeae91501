// Kernels of constant_pad_nd.

#include <ATen/ops/full.h>

#include "strided.h"

namespace planted {
namespace {

/// The reference, or the reference with exactly one thing changed.
enum class Make { kReference, kCutOffIgnored, kFirstDimensionFirst, kStridesOfBatches };

/// The elements that a negative padding cuts off; 0 if it is none.
int64_t cut_off(int64_t padding) {
  return std::max<int64_t>(-padding, 0);
}

void check_legal(const Tensor& self, at::IntArrayRef pad) {
  TORCH_CHECK(pad.size() % 2 == 0, "pad has ", pad.size(), " numbers");
  TORCH_CHECK(static_cast<int64_t>(pad.size()) <= 2 * self.dim(), "more paddings than dimensions");
  for (size_t p = 0; p < pad.size(); p += 2) {
    const int64_t size = self.size(-1 - static_cast<int64_t>(p / 2));
    TORCH_CHECK(cut_off(pad[p]) <= size && cut_off(pad[p + 1]) <= size - cut_off(pad[p]),
                "less than nothing would be left of a dimension of ", size);
    TORCH_CHECK(pad[p] < INT64_MAX - size && pad[p + 1] < INT64_MAX - size - cut_off(-pad[p]),
                "too many elements");
  }
}

template <Make kMake>
Tensor constant_pad_nd(const Tensor& self, at::IntArrayRef pad, const at::Scalar& value) {
  check_legal(self, pad);
  Position sizes(self.sizes()), before(sizes.size(), 0);
  for (size_t p = 0; p < pad.size(); p += 2) {
    // The defect: the paddings are taken to begin with the first dimension.
    const size_t d = kMake == Make::kFirstDimensionFirst ? p / 2 : sizes.size() - 1 - p / 2;
    sizes[d] += pad[p] + pad[p + 1];
    before[d] = pad[p];
  }
  for (const int64_t size : sizes) TORCH_CHECK(size >= 0, "less than nothing would be left");
  const Tensor result = at::full(sizes, value, self.options());
  Strided from = strided(self);
  const Strided to = strided(result);
  // The defect: the first two dimensions are walked through as if they were one.
  if (kMake == Make::kStridesOfBatches && from.sizes.size() > 2)
    from.strides[0] = from.strides[1] * from.sizes[1];
  const Combine move = mover(to.item);
  each_position(from.sizes, [&](const Position& position) {
    Position place = position;
    for (size_t d = 0; d < place.size(); ++d) {
      // The defect: what the front loses is kept, and what the back ought to keep is lost.
      place[d] += kMake == Make::kCutOffIgnored ? std::max<int64_t>(before[d], 0) : before[d];
      if (place[d] < 0 || place[d] >= to.sizes[d]) return;
    }
    move(to.at(place), from.at(position));
  });
  return result;
}

constexpr const char* kSchema = "(Tensor self, SymInt[] pad, Scalar value=0) -> Tensor";

TORCH_LIBRARY_FRAGMENT(planted, m) {
  define(m, "constant_pad_nd_cut_off_ignored", kSchema, constant_pad_nd<Make::kCutOffIgnored>);
  define(m, "constant_pad_nd_first_dimension_first", kSchema,
         constant_pad_nd<Make::kFirstDimensionFirst>);
  define(m, "constant_pad_nd_strides_of_batches", kSchema,
         constant_pad_nd<Make::kStridesOfBatches>);
}

TORCH_LIBRARY_FRAGMENT(correct, m) {
  define(m, "constant_pad_nd_elements", kSchema, constant_pad_nd<Make::kReference>);
}

}  // namespace
}  // namespace planted
