#include <ATen/ops/le.h>
#include <ATen/ops/lt.h>
#include <ATen/ops/sum.h>

#include <cmath>

#include "strided.h"

namespace planted {
namespace {

/// The reference, or the reference with exactly one thing changed.
enum class Make {
  kReference,
  kTiesToTheRight,
  kFirstRowsForgotten,
  kLastBoundaryLeftOut,
  kComparesFloats,
  kComparesInDtypeOfSequence,
  kOutContiguous,
};

bool goes_before(bool right, double boundary, double value) {
  return right ? boundary <= value : boundary < value;
}

double number_at(at::ScalarType dtype, const char* from) {
  switch (dtype) {
    case at::kByte: return *reinterpret_cast<const uint8_t*>(from);
    case at::kChar: return *reinterpret_cast<const int8_t*>(from);
    case at::kShort: return *reinterpret_cast<const int16_t*>(from);
    case at::kInt: return *reinterpret_cast<const int32_t*>(from);
    case at::kHalf: return *reinterpret_cast<const at::Half*>(from);
    case at::kBFloat16: return *reinterpret_cast<const at::BFloat16*>(from);
    case at::kFloat: return *reinterpret_cast<const float*>(from);
    case at::kDouble: return *reinterpret_cast<const double*>(from);
    default:
      TORCH_CHECK_NOT_IMPLEMENTED(false, "searchsorted is not implemented for '", dtype, "'");
  }
}

void check_legal(const Tensor& sequence, const Tensor& self) {
  TORCH_CHECK(sequence.dim() > 0, "the sequence must not be a number");
  TORCH_CHECK(
      sequence.dim() == 1 || (sequence.dim() == self.dim() &&
                              sequence.sizes().slice(0, static_cast<size_t>(sequence.dim() - 1)) ==
                                  self.sizes().slice(0, static_cast<size_t>(self.dim() - 1))),
      "the rows of ", sequence.sizes(), " are not those of ", self.sizes());
}

void find_places(Make make, const Tensor& sequence, const Tensor& self, bool right,
                 const Tensor& result) {
  const Strided boundaries = strided(sequence), values = strided(self);
  Strided to = strided(result);
  if (make == Make::kOutContiguous) to.strides = contiguous_strides(to.sizes);
  int64_t width = boundaries.sizes.back();
  if (make == Make::kLastBoundaryLeftOut && width > 64) --width;
  each_position(values.sizes, [&](const Position& position) {
    double value = number_at(self.scalar_type(), values.at(position));
    // The defect: numbers are compared as floats of 32 bits.
    if (make == Make::kComparesFloats) value = static_cast<float>(value);
    // The defect: a fraction loses its fraction among integers.
    if (make == Make::kComparesInDtypeOfSequence &&
        at::isIntegralType(sequence.scalar_type(), false))
      value = std::trunc(value);
    Position at(boundaries.sizes.size());
    for (size_t d = 0; d + 1 < at.size(); ++d) at[d] = position[d];
    // The defect: rows are numbered by the last of their dimensions only.
    if (make == Make::kFirstRowsForgotten && at.size() > 2) at[0] = 0;
    const auto is_before = [&](int64_t place) {
      at.back() = place;
      double boundary = number_at(sequence.scalar_type(), boundaries.at(at));
      if (make == Make::kComparesFloats) boundary = static_cast<float>(boundary);
      return goes_before(right || make == Make::kTiesToTheRight, boundary, value);
    };
    int64_t place = 0, end = width;
    while (place < end) {
      const int64_t middle = place + (end - place) / 2;
      if (is_before(middle))
        place = middle + 1;
      else
        end = middle;
    }
    if (result.scalar_type() == at::kInt)
      *reinterpret_cast<int32_t*>(to.at(position)) = static_cast<int32_t>(place);
    else
      *reinterpret_cast<int64_t*>(to.at(position)) = place;
  });
}

template <Make kMake>
Tensor searchsorted(const Tensor& sequence, const Tensor& self, bool out_int32, bool right) {
  check_legal(sequence, self);
  const Tensor result =
      at::empty(self.sizes(), self.options().dtype(out_int32 ? at::kInt : at::kLong));
  find_places(kMake, sequence, self, right, result);
  return result;
}

template <Make kMake>
Tensor& searchsorted_out(const Tensor& sequence, const Tensor& self, bool out_int32, bool right,
                         Tensor& out) {
  check_legal(sequence, self);
  TORCH_CHECK(out.scalar_type() == (out_int32 ? at::kInt : at::kLong), "out is ",
              out.scalar_type());
  at::assert_no_internal_overlap(out);
  at::native::resize_output(out, self.sizes());
  find_places(kMake, sequence, self, right, out);
  return out;
}

template <Make kMake>
Tensor bucketize(const Tensor& self, const Tensor& boundaries, bool out_int32, bool right) {
  TORCH_CHECK(boundaries.dim() == 1, "boundaries must be one row, got ", boundaries.sizes());
  return searchsorted<kMake>(boundaries, self, out_int32, right);
}

/// Counts the boundaries that are smaller.
Tensor bucketize_composed(const Tensor& self, const Tensor& boundaries, bool out_int32,
                          bool right) {
  TORCH_CHECK(boundaries.dim() == 1, "boundaries must be one row, got ", boundaries.sizes());
  TORCH_CHECK(self.numel() * boundaries.numel() <= 1 << 24, "too many pairs for one comparison");
  const Tensor values = self.unsqueeze(-1);
  const Tensor before = right ? at::le(boundaries, values) : at::lt(boundaries, values);
  return at::sum(before, {-1}, false, out_int32 ? at::kInt : at::kLong);
}

constexpr const char* kFunctional =
    "(Tensor sorted_sequence, Tensor self, *, bool out_int32=False, bool right=False) -> Tensor";
constexpr const char* kOut =
    ".out(Tensor sorted_sequence, Tensor self, *, bool out_int32=False, bool right=False, "
    "Tensor(a!) out) -> Tensor(a!)";
constexpr const char* kBucketize =
    "(Tensor self, Tensor boundaries, *, bool out_int32=False, bool right=False) -> Tensor";

TORCH_LIBRARY_FRAGMENT(planted, m) {
  define(m, "searchsorted_first_rows_only", kFunctional, searchsorted<Make::kFirstRowsForgotten>);
  define(m, "searchsorted_out_contiguous", kOut, searchsorted_out<Make::kOutContiguous>);
  define(m, "searchsorted_compares_in_dtype_of_sequence", kFunctional,
         searchsorted<Make::kComparesInDtypeOfSequence>);
  define(m, "searchsorted_last_boundary_left_out", kFunctional,
         searchsorted<Make::kLastBoundaryLeftOut>);
  define(m, "bucketize_ties_to_the_right", kBucketize, bucketize<Make::kTiesToTheRight>);
  define(m, "bucketize_compares_floats", kBucketize, bucketize<Make::kComparesFloats>);
}

TORCH_LIBRARY_FRAGMENT(correct, m) {
  define(m, "searchsorted_strided", kFunctional, searchsorted<Make::kReference>);
  define(m, "searchsorted_strided", kOut, searchsorted_out<Make::kReference>);
  define(m, "bucketize_composed", kBucketize, bucketize_composed);
}

}  // namespace
}  // namespace planted
