#include <ATen/Dispatch.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>

#include <cmath>

#include "named_slices.h"

namespace planted {
namespace {

/// The reference, or the reference with exactly one thing changed.
enum class Make {
  kReference,
  kValueThroughDouble,
  kInnerContiguous,
  kWrapsByFirstSize,
  kRoundsValue,
  kSaturates,
};

/// Writes the value to `to` as one element of the dtype.
void convert(Make make, at::Scalar value, at::ScalarType dtype, char* to) {
  TORCH_CHECK(!value.isComplex() || at::isComplexType(dtype), "index_fill: a complex value into ",
              dtype);
  if (make == Make::kValueThroughDouble && !value.isComplex()) value = value.to<double>();
  if (make == Make::kRoundsValue && value.isFloatingPoint() && at::isIntegralType(dtype, false))
    value = std::round(value.to<double>());
  // The defect: without a sign, the nearest number to a negative one is 0.
  if (make == Make::kSaturates && dtype == at::kByte && value.to<double>() < 0) value = 0;
  AT_DISPATCH_ALL_TYPES_AND_COMPLEX_AND4(at::kBool, at::kHalf, at::kBFloat16, at::kComplexHalf,
                                         dtype, "index_fill", [&] {
                                           const auto element = value.to<scalar_t>();
                                           std::memcpy(to, &element, sizeof element);
                                         });
}

/// Writes the value into `result`, which holds self.
void fill_slices(Make make, const Tensor& result, int64_t dim, const Tensor& index,
                 const at::Scalar& value) {
  TORCH_CHECK_INDEX(index.scalar_type() == at::kLong, "index_fill: the index must be int64");
  char element[16];
  convert(make, value, result.scalar_type(), element);
  Strided to = strided_1d(result);
  const int64_t size = to.sizes[dim];
  const Position rows =
      read_rows(index, size, make == Make::kWrapsByFirstSize ? to.sizes[0] : size);
  // The defect: a slice is assumed to be contiguous.
  if (make == Make::kInnerContiguous) {
    const Position dense = contiguous_strides(to.sizes);
    for (size_t d = dim + 1; d < dense.size(); ++d) to.strides[d] = dense[d];
  }
  const Combine move = mover(to.item);
  Position named = to.sizes;
  named[dim] = static_cast<int64_t>(rows.size());
  each_position(named, [&](Position position) {
    position[dim] = rows[position[dim]];
    move(to.at(position), element);
  });
}

at::Scalar number_of(const Tensor& value) {
  TORCH_CHECK(value.dim() == 0, "index_fill: value has ", value.dim(), " dimensions");
  return value.item();
}
const at::Scalar& number_of(const at::Scalar& value) {
  return value;
}

template <Make kMake, class Value>
Tensor index_fill(const Tensor& self, int64_t dim, const Tensor& index, const Value& value) {
  const Tensor result = contiguous_copy(self);
  fill_slices(kMake, result, c10::maybe_wrap_dim(dim, self.dim()), index, number_of(value));
  return result;
}

template <Make kMake, class Value>
Tensor& index_fill_in_place(Tensor& self, int64_t dim, const Tensor& index, const Value& value) {
  at::assert_no_overlap(self, index);
  fill_slices(kMake, self, c10::maybe_wrap_dim(dim, self.dim()), index, number_of(value));
  return self;
}

/// Swaps `dim` with the first dimension and fills along that one. The defect: an error in between
/// leaves self transposed.
Tensor& index_fill_transposed_on_error(Tensor& self, int64_t dim, const Tensor& index,
                                       const at::Scalar& value) {
  at::assert_no_overlap(self, index);
  const int64_t wrapped = c10::maybe_wrap_dim(dim, self.dim());
  if (self.dim() > 1) self.transpose_(0, wrapped);
  fill_slices(Make::kReference, self, 0, index, number_of(value));
  if (self.dim() > 1) self.transpose_(0, wrapped);
  return self;
}

/// Composed of a mask of the named slices and where().
Tensor index_fill_masked(const Tensor& self, int64_t dim, const Tensor& index,
                         const at::Scalar& value) {
  dim = c10::maybe_wrap_dim(dim, self.dim());
  TORCH_CHECK_INDEX(index.scalar_type() == at::kLong, "index_fill: the index must be int64");
  const Strided view = strided_1d(self);
  char element[16];
  convert(Make::kReference, value, self.scalar_type(), element);
  const Tensor number = at::empty({}, self.options());
  mover(view.item)(strided(number).data, element);
  const Tensor mask = at::zeros(view.sizes[dim], self.options().dtype(at::kBool));
  for (const int64_t row : read_rows(index, view.sizes[dim], view.sizes[dim]))
    mask.mutable_data_ptr<bool>()[row] = true;
  Position along(view.sizes.size(), 1);
  along[dim] = view.sizes[dim];
  return at::where(mask.reshape(along), number, self.reshape(view.sizes)).reshape(self.sizes());
}

constexpr const char* kFunctional = "(Tensor self, int dim, Tensor index, Scalar value) -> Tensor";
constexpr const char* kFromTensor = "(Tensor self, int dim, Tensor index, Tensor value) -> Tensor";
constexpr const char* kInPlace =
    "(Tensor(a!) self, int dim, Tensor index, Scalar value) -> Tensor(a!)";
constexpr const char* kInPlaceFromTensor =
    "(Tensor(a!) self, int dim, Tensor index, Tensor value) -> Tensor(a!)";

TORCH_LIBRARY_FRAGMENT(planted, m) {
  define(m, "index_fill_value_through_double", kFunctional,
         index_fill<Make::kValueThroughDouble, at::Scalar>);
  define(m, "index_fill_inner_contiguous_", kInPlace,
         index_fill_in_place<Make::kInnerContiguous, at::Scalar>);
  define(m, "index_fill_wraps_by_first_size_", kInPlaceFromTensor,
         index_fill_in_place<Make::kWrapsByFirstSize, Tensor>);
  define(m, "index_fill_transposed_on_error_", kInPlace, index_fill_transposed_on_error);
  define(m, "index_fill_rounds_value", kFunctional, index_fill<Make::kRoundsValue, at::Scalar>);
  define(m, "index_fill_saturates", kFunctional, index_fill<Make::kSaturates, at::Scalar>);
}

TORCH_LIBRARY_FRAGMENT(correct, m) {
  define(m, "index_fill_strided", kFromTensor, index_fill<Make::kReference, Tensor>);
  define(m, "index_fill_strided_", kInPlace, index_fill_in_place<Make::kReference, at::Scalar>);
  define(m, "index_fill_masked", kFunctional, index_fill_masked);
}

}  // namespace
}  // namespace planted
