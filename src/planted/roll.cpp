#include <ATen/ops/cat.h>

#include "strided.h"

namespace planted {
namespace {

/// The reference, or the reference with exactly one thing changed.
enum class Make {
  kReference,
  kOneSizeAdded,
  kShiftOf32Bits,
  kSecondOfFirstSize,
  kFlatInMemoryOrder,
};

int64_t remainder(int64_t number, int64_t size) {
  const int64_t rest = number % size;
  return rest < 0 ? rest + size : rest;
}

void check_dims(const Tensor& self, at::IntArrayRef shifts, at::IntArrayRef dims) {
  TORCH_CHECK(!shifts.empty(), "no shifts");
  TORCH_CHECK(dims.empty() ? shifts.size() == 1 : dims.size() == shifts.size(),
              "as many shifts as dims are needed");
  TORCH_CHECK(dims.empty() || self.dim() > 0, "self has no dimensions");
  for (const int64_t dim : dims) c10::maybe_wrap_dim(dim, self.dim());
}

/// The place along a dimension whose element comes to `place`.
template <Make kMake>
int64_t source_of(int64_t place, int64_t shift, int64_t size) {
  // The defect: for a shift of more than the size this still lies before the first place.
  if constexpr (kMake == Make::kOneSizeAdded) return (place - shift + size) % size;
  // The defect: 2^31 becomes a negative number, and 2^32 becomes 0.
  if constexpr (kMake == Make::kShiftOf32Bits) shift = static_cast<int32_t>(shift);
  return remainder(place - remainder(shift, size), size);
}

Position position_of(int64_t place, const Position& sizes) {
  Position position(sizes.size());
  for (size_t d = sizes.size(); d-- > 0; place /= sizes[d]) position[d] = place % sizes[d];
  return position;
}

template <Make kMake>
Tensor roll_flat(const Tensor& self, int64_t shift) {
  const Tensor result = at::empty(self.sizes(), self.options());
  Strided from = strided(self);
  const Strided to = strided(result);
  // The defect: a dense self is read in the order of memory, whatever that of its dimensions.
  if (kMake == Make::kFlatInMemoryOrder && self.is_non_overlapping_and_dense())
    from.strides = contiguous_strides(from.sizes);
  for (int64_t place = 0; place < self.numel(); ++place)
    std::memcpy(to.at(position_of(place, to.sizes)),
                from.at(position_of(source_of<kMake>(place, shift, self.numel()), to.sizes)),
                static_cast<size_t>(from.item));
  return result;
}

template <Make kMake>
Tensor roll(const Tensor& self, at::IntArrayRef shifts, at::IntArrayRef dims) {
  check_dims(self, shifts, dims);
  if (dims.empty()) return roll_flat<kMake>(self, shifts[0]);
  const Tensor result = at::empty(self.sizes(), self.options());
  const Strided from = strided(self), to = strided(result);
  each_position(to.sizes, [&](const Position& position) {
    Position source = position;
    for (size_t i = 0; i < dims.size(); ++i) {
      const auto d = static_cast<size_t>(c10::maybe_wrap_dim(dims[i], self.dim()));
      // The defect: every shift is taken modulo the size of the first dimension.
      const int64_t shift = kMake == Make::kSecondOfFirstSize && i > 0
                                ? remainder(shifts[i], self.size(dims[0]))
                                : shifts[i];
      source[d] = source_of<kMake>(source[d], shift, to.sizes[d]);
    }
    std::memcpy(to.at(position), from.at(source), static_cast<size_t>(from.item));
  });
  return result;
}

/// Composed of two narrows and a cat for each dimension.
Tensor roll_composed(const Tensor& self, at::IntArrayRef shifts, at::IntArrayRef dims) {
  check_dims(self, shifts, dims);
  if (self.numel() == 0) return self.clone();
  Tensor result = dims.empty() ? self.reshape({-1}) : self;
  for (size_t i = 0; i < shifts.size(); ++i) {
    const int64_t dim = dims.empty() ? 0 : dims[i], size = result.size(dim);
    const int64_t moved = remainder(shifts[i], size);
    result = at::cat({result.narrow(dim, size - moved, moved), result.narrow(dim, 0, size - moved)},
                     dim);
  }
  return result.reshape(self.sizes()).clone();
}

constexpr const char* kFunctional = "(Tensor self, int[1] shifts, int[1] dims=[]) -> Tensor";

TORCH_LIBRARY_FRAGMENT(planted, m) {
  define(m, "roll_one_size_added", kFunctional, roll<Make::kOneSizeAdded>);
  define(m, "roll_shift_of_32_bits", kFunctional, roll<Make::kShiftOf32Bits>);
  define(m, "roll_second_of_first_size", kFunctional, roll<Make::kSecondOfFirstSize>);
  define(m, "roll_flat_in_memory_order", kFunctional, roll<Make::kFlatInMemoryOrder>);
}

TORCH_LIBRARY_FRAGMENT(correct, m) {
  define(m, "roll_strided", kFunctional, roll<Make::kReference>);
  define(m, "roll_composed", kFunctional, roll_composed);
}

}  // namespace
}  // namespace planted
