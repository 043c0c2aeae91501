#include <ATen/ops/full.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>

#include <cmath>

#include "masked.h"

namespace planted {
namespace {

/// The reference, or the reference with exactly one thing changed.
enum class Make {
  kReference,
  kNumberThroughDouble,
  kZeroByMemset,
  kMaskStrideKept,
  kTowardsZero,
  kSelfReplaced,
  kFormatForgotten,
};

/// The value as one element of self's dtype.
Tensor element_of(Make make, const Tensor& self, const at::Scalar& value) {
  if (make == Make::kNumberThroughDouble && value.isIntegral(false))
    return at::full({}, value.toDouble(), self.options());
  if (make == Make::kZeroByMemset && value.isFloatingPoint() && value.toDouble() == 0)
    return at::zeros({}, self.options());
  const Tensor nearest = at::full({}, value, self.options());
  if (make != Make::kTowardsZero || !at::isReducedFloatingType(self.scalar_type()) ||
      !value.isFloatingPoint())
    return nearest;
  // A sign bit of its own: the bits minus one are the next number towards zero.
  if (std::abs(nearest.item().toDouble()) > std::abs(value.toDouble()))
    --*static_cast<uint16_t*>(nearest.mutable_data_ptr());
  return nearest;
}

/// Whether the mask is set at a position of `result`, which holds the broadcast self.
bool is_filled(Make make, const Strided& mask, const Position& position) {
  if (make != Make::kMaskStrideKept) return is_set(mask, position);
  const size_t stretched = position.size() - mask.sizes.size();
  return *mask.at(Position(position.begin() + stretched, position.end())) != 0;
}

void fill_elements(Make make, const Tensor& result, const Tensor& mask, const Tensor& value) {
  const Strided to = strided(result), truths = strided(mask);
  const Combine move = mover(to.item);
  const char* element = static_cast<const char*>(value.const_data_ptr());
  each_position(to.sizes, [&](const Position& position) {
    if (is_filled(make, truths, position)) move(to.at(position), element);
  });
}

bool is_channels_last(const Tensor& tensor) {
  return tensor.dim() == 4 && tensor.is_contiguous(at::MemoryFormat::ChannelsLast);
}

template <Make kMake>
Tensor masked_fill(const Tensor& self, const Tensor& mask, const at::Scalar& value) {
  const Position shape = masked_shape(self, mask);
  const Tensor result = contiguous_copy(self.expand(shape));
  fill_elements(kMake, result, mask, element_of(kMake, self, value));
  const bool is_flat =
      is_channels_last(self) && is_channels_last(mask) && self.sizes() == mask.sizes();
  // The defect: two channels-last operands are filled, and returned, in memory order.
  if (kMake == Make::kFormatForgotten && is_flat)
    return result.permute({0, 2, 3, 1}).reshape(self.sizes());
  return result;
}

template <Make kMake>
Tensor& masked_fill_in_place(Tensor& self, const Tensor& mask, const at::Scalar& value) {
  masked_shape_in_place(self, mask);
  if (kMake == Make::kSelfReplaced && mask.sizes() != self.sizes()) {
    // The defect: with a smaller mask the result is computed elsewhere, and self is made to refer
    // to it.
    self.set_(masked_fill<Make::kReference>(self, mask, value));
    return self;
  }
  fill_elements(kMake, self, mask, element_of(kMake, self, value));
  return self;
}

/// Composed of where(), with the value in a tensor.
Tensor masked_fill_composed(const Tensor& self, const Tensor& mask, const Tensor& value) {
  masked_shape(self, mask);
  TORCH_CHECK(value.dim() == 0, "masked_fill: the value has dimensions");
  TORCH_CHECK(self.is_complex() || self.scalar_type() == at::kBool || !value.is_complex(),
              "masked_fill: a complex value does not fit self, which is ", self.scalar_type());
  return at::where(mask, value.to(self.scalar_type()), self);
}

constexpr const char* kFunctional = "(Tensor self, Tensor mask, Scalar value) -> Tensor";
constexpr const char* kInPlace = "(Tensor(a!) self, Tensor mask, Scalar value) -> Tensor(a!)";

TORCH_LIBRARY_FRAGMENT(planted, m) {
  define(m, "masked_fill_number_through_double", kFunctional,
         masked_fill<Make::kNumberThroughDouble>);
  define(m, "masked_fill_zero_by_memset", kFunctional, masked_fill<Make::kZeroByMemset>);
  define(m, "masked_fill_mask_stride_kept_", kInPlace, masked_fill_in_place<Make::kMaskStrideKept>);
  define(m, "masked_fill_half_towards_zero", kFunctional, masked_fill<Make::kTowardsZero>);
  define(m, "masked_fill_format_forgotten", kFunctional, masked_fill<Make::kFormatForgotten>);
  define(m, "masked_fill_self_replaced_", kInPlace, masked_fill_in_place<Make::kSelfReplaced>);
}

TORCH_LIBRARY_FRAGMENT(correct, m) {
  define(m, "masked_fill_strided", kFunctional, masked_fill<Make::kReference>);
  define(m, "masked_fill_strided_", kInPlace, masked_fill_in_place<Make::kReference>);
  define(m, "masked_fill_composed", "(Tensor self, Tensor mask, Tensor value) -> Tensor",
         masked_fill_composed);
}

}  // namespace
}  // namespace planted
