#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/div.h>
#include <ATen/ops/empty_strided.h>
#include <ATen/ops/masked_select.h>
#include <ATen/ops/ne.h>
#include <ATen/ops/remainder.h>
#include <ATen/ops/stack.h>

#include "strided.h"

namespace planted {
namespace {

/// The reference, or the reference with exactly one thing changed.
enum class Make {
  kReference,
  kBitsNotValue,
  kRealPartOnly,
  kMemoryOrder,
  kCoordinateInByte,
  kLargerOutKept,
  kReciprocal,
};

/// Whether an element is not zero.
using Truth = bool (*)(const char* from);

template <class Element>
bool differs_from_zero(const char* from) {
  Element value;
  std::memcpy(&value, from, sizeof value);
  return value != Element(0);
}

Truth truth_of(at::ScalarType dtype) {
  switch (dtype) {
    case at::kBool: return differs_from_zero<bool>;
    case at::kByte: return differs_from_zero<uint8_t>;
    case at::kChar: return differs_from_zero<int8_t>;
    case at::kShort: return differs_from_zero<int16_t>;
    case at::kInt: return differs_from_zero<int32_t>;
    case at::kLong: return differs_from_zero<int64_t>;
    case at::kHalf: return differs_from_zero<at::Half>;
    case at::kBFloat16: return differs_from_zero<at::BFloat16>;
    case at::kFloat: return differs_from_zero<float>;
    case at::kDouble: return differs_from_zero<double>;
    case at::kComplexFloat: return differs_from_zero<c10::complex<float>>;
    case at::kComplexDouble: return differs_from_zero<c10::complex<double>>;
    default: TORCH_CHECK_NOT_IMPLEMENTED(false, "nonzero is not implemented for '", dtype, "'");
  }
}

bool any_bit(const char* from, int64_t bytes) {
  return std::any_of(from, from + bytes, [](char byte) { return byte != 0; });
}

/// Calls visit(position) for every element that is not zero.
template <class Visit>
void each_nonzero(Make make, const Tensor& self, Visit&& visit) {
  const Strided from = strided(self);
  at::ScalarType dtype = self.scalar_type();
  if (make == Make::kRealPartOnly) dtype = c10::toRealValueType(dtype);
  const Truth truth = truth_of(dtype);
  const auto counts = [&](const Position& position) {
    const char* element = from.at(position);
    return make == Make::kBitsNotValue ? any_bit(element, from.item) : truth(element);
  };
  // The defect: a transposed matrix is walked in memory order.
  if (make == Make::kMemoryOrder && from.sizes.size() == 2 && from.strides[0] == 1 &&
      from.strides[1] == from.sizes[0]) {
    each_position({from.sizes[1], from.sizes[0]}, [&](const Position& swapped) {
      const Position position = {swapped[1], swapped[0]};
      if (counts(position)) visit(position);
    });
    return;
  }
  each_position(from.sizes, [&](const Position& position) {
    if (counts(position)) visit(position);
  });
}

int64_t count_nonzero(Make make, const Tensor& self) {
  int64_t count = 0;
  each_nonzero(make, self, [&](const Position&) { ++count; });
  return count;
}

/// The last coordinate of an element with this row-major number, divided by way of a reciprocal.
int64_t last_coordinate(int64_t number, int64_t size) {
  const float quotient = static_cast<float>(number) * (1.0f / static_cast<float>(size));
  return number - static_cast<int64_t>(quotient) * size;
}

void write_rows(Make make, const Tensor& self, const Strided& to) {
  int64_t row = 0;
  const Position strides = contiguous_strides(Position(self.sizes()));
  each_nonzero(make, self, [&](Position position) {
    // The defect: 1 / 41 as a float, times 41, is less than 1.
    if (make == Make::kReciprocal && !position.empty()) {
      int64_t number = 0;
      for (size_t d = 0; d < position.size(); ++d) number += position[d] * strides[d];
      position.back() = last_coordinate(number, self.size(-1));
    }
    for (size_t d = 0; d < position.size(); ++d) {
      // The defect: coordinates below 256 fit a byte, but not a signed one.
      const bool narrow = make == Make::kCoordinateInByte && self.size(d) <= 256;
      const int64_t coordinate = narrow ? static_cast<signed char>(position[d]) : position[d];
      std::memcpy(to.at({row, static_cast<int64_t>(d)}), &coordinate, sizeof coordinate);
    }
    ++row;
  });
}

template <Make kMake>
Tensor nonzero(const Tensor& self) {
  const Tensor result =
      at::empty({count_nonzero(kMake, self), self.dim()}, self.options().dtype(at::kLong));
  write_rows(kMake, self, strided(result));
  return result;
}

template <Make kMake>
Tensor& nonzero_out(const Tensor& self, Tensor& out) {
  TORCH_CHECK(out.scalar_type() == at::kLong, "nonzero: out must be int64, not ",
              out.scalar_type());
  // As in ATen, an out that overlaps itself is refused even if it would be resized.
  at::assert_no_internal_overlap(out);
  at::assert_no_overlap(out, self);
  const int64_t rows = count_nonzero(kMake, self);
  // The defect: an out with more rows than needed is not resized and keeps the other rows.
  const bool has_room = kMake == Make::kLargerOutKept && out.dim() == 2 && out.size(0) > rows &&
                        out.size(1) == self.dim();
  if (!has_room) at::native::resize_output(out, {rows, self.dim()});
  write_rows(kMake, self, strided(out));
  return out;
}

/// Composed: selects the row-major numbers of nonzero elements, divides them into coordinates.
Tensor nonzero_composed(const Tensor& self) {
  const at::TensorOptions wide = self.options().dtype(at::kLong);
  const Tensor flat =
      at::masked_select(at::arange(self.numel(), wide), at::ne(self.reshape({-1}), at::Scalar(0)));
  if (self.dim() == 0) return at::empty({flat.numel(), 0}, wide);
  const Position strides = contiguous_strides(Position(self.sizes()));
  std::vector<Tensor> coordinates;
  for (int64_t d = 0; d < self.dim(); ++d)
    coordinates.push_back(at::remainder(at::div(flat, std::max<int64_t>(strides[d], 1), "floor"),
                                        std::max<int64_t>(self.size(d), 1)));
  return at::stack(coordinates, 1);
}

constexpr const char* kFunctional = "(Tensor self) -> Tensor";
constexpr const char* kOut = ".out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)";

TORCH_LIBRARY_FRAGMENT(planted, m) {
  define(m, "nonzero_bits_not_value", kFunctional, nonzero<Make::kBitsNotValue>);
  define(m, "nonzero_real_part_only", kFunctional, nonzero<Make::kRealPartOnly>);
  define(m, "nonzero_reciprocal", kFunctional, nonzero<Make::kReciprocal>);
  define(m, "nonzero_memory_order", kFunctional, nonzero<Make::kMemoryOrder>);
  define(m, "nonzero_larger_out_kept", kOut, nonzero_out<Make::kLargerOutKept>);
  define(m, "nonzero_coordinate_in_byte", kOut, nonzero_out<Make::kCoordinateInByte>);
}

TORCH_LIBRARY_FRAGMENT(correct, m) {
  define(m, "nonzero_strided", kFunctional, nonzero<Make::kReference>);
  define(m, "nonzero_strided", kOut, nonzero_out<Make::kReference>);
  define(m, "nonzero_composed", kFunctional, nonzero_composed);
}

}  // namespace
}  // namespace planted
