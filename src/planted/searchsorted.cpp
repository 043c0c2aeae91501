#include <ATen/ops/le.h>
#include <ATen/ops/lt.h>
#include <ATen/ops/sum.h>

#include <cmath>
#include <limits>

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
  kSorterOfTheFirstRow,
  kSorterAsIfContiguous,
  kSubtracts,
  kLowestNotCounted,
  kPaddedByTheLargest,
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

void check_sorter(const Tensor& sequence, const Tensor& sorter) {
  TORCH_CHECK(sorter.sizes() == sequence.sizes(), "a sorter of ", sorter.sizes(), " for ",
              sequence.sizes());
  TORCH_CHECK(sorter.scalar_type() == at::kLong, "the sorter is ", sorter.scalar_type());
  const Strided places = strided(sorter);
  each_position(places.sizes, [&](const Position& position) {
    const int64_t place = *reinterpret_cast<const int64_t*>(places.at(position));
    TORCH_CHECK_INDEX(place >= 0 && place < sequence.size(-1), "the sorter names ", place, " of ",
                      sequence.size(-1));
  });
}

void find_places(Make make, const Tensor& sequence, const Tensor& self, bool right,
                 const Tensor* sorter, const Tensor& result) {
  const Strided boundaries = strided(sequence), values = strided(self);
  Strided order;
  if (sorter != nullptr) order = strided(*sorter);
  // The defect: the strides of the sorter are taken for those of a contiguous one.
  if (make == Make::kSorterAsIfContiguous) order.strides = contiguous_strides(order.sizes);
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
      if (sorter != nullptr) {
        Position of_row = at;
        // The defect: all rows have the order of the first one.
        if (make == Make::kSorterOfTheFirstRow) std::fill_n(of_row.begin(), of_row.size() - 1, 0);
        at.back() = *reinterpret_cast<const int64_t*>(order.at(of_row));
      }
      double boundary = number_at(sequence.scalar_type(), boundaries.at(at));
      if (make == Make::kComparesFloats) boundary = static_cast<float>(boundary);
      // The defect: of two infinities of one sign the difference is NaN.
      if (make == Make::kSubtracts) return goes_before(right, boundary - value, 0);
      // The defect: negative infinity stands for a boundary that is not there.
      if (make == Make::kLowestNotCounted && std::isinf(boundary) && boundary < 0) return false;
      // The defect: the largest integer of 32 bits marks the end of the boundaries.
      if (make == Make::kPaddedByTheLargest && sequence.scalar_type() == at::kInt &&
          boundary == std::numeric_limits<int32_t>::max())
        return false;
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
  find_places(kMake, sequence, self, right, nullptr, result);
  return result;
}

template <Make kMake>
Tensor searchsorted_by(const Tensor& sequence, const Tensor& self, bool out_int32, bool right,
                       const std::optional<Tensor>& sorter) {
  check_legal(sequence, self);
  if (sorter) check_sorter(sequence, *sorter);
  const Tensor result =
      at::empty(self.sizes(), self.options().dtype(out_int32 ? at::kInt : at::kLong));
  find_places(kMake, sequence, self, right, sorter ? &*sorter : nullptr, result);
  return result;
}

/// The defect: a side is not looked at.
Tensor searchsorted_without_side(const Tensor& sequence, const Tensor& self, bool out_int32,
                                 bool right, std::optional<std::string_view>) {
  return searchsorted<Make::kReference>(sequence, self, out_int32, right);
}

template <Make kMake>
Tensor& searchsorted_out(const Tensor& sequence, const Tensor& self, bool out_int32, bool right,
                         Tensor& out) {
  check_legal(sequence, self);
  TORCH_CHECK(out.scalar_type() == (out_int32 ? at::kInt : at::kLong), "out is ",
              out.scalar_type());
  at::assert_no_internal_overlap(out);
  at::native::resize_output(out, self.sizes());
  find_places(kMake, sequence, self, right, nullptr, out);
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
constexpr const char* kWithSorter =
    "(Tensor sorted_sequence, Tensor self, *, bool out_int32=False, bool right=False, "
    "Tensor? sorter=None) -> Tensor";
constexpr const char* kWithSide =
    "(Tensor sorted_sequence, Tensor self, *, bool out_int32=False, bool right=False, "
    "str? side=None) -> Tensor";
constexpr const char* kBucketize =
    "(Tensor self, Tensor boundaries, *, bool out_int32=False, bool right=False) -> Tensor";

TORCH_LIBRARY_FRAGMENT(planted, m) {
  define(m, "searchsorted_first_rows_only", kFunctional, searchsorted<Make::kFirstRowsForgotten>);
  define(m, "searchsorted_out_contiguous", kOut, searchsorted_out<Make::kOutContiguous>);
  define(m, "searchsorted_compares_in_dtype_of_sequence", kFunctional,
         searchsorted<Make::kComparesInDtypeOfSequence>);
  define(m, "searchsorted_last_boundary_left_out", kFunctional,
         searchsorted<Make::kLastBoundaryLeftOut>);
  define(m, "searchsorted_sorter_of_the_first_row", kWithSorter,
         searchsorted_by<Make::kSorterOfTheFirstRow>);
  define(m, "searchsorted_sorter_as_if_contiguous", kWithSorter,
         searchsorted_by<Make::kSorterAsIfContiguous>);
  define(m, "searchsorted_without_side", kWithSide, searchsorted_without_side);
  define(m, "searchsorted_subtracts", kFunctional, searchsorted<Make::kSubtracts>);
  define(m, "searchsorted_padded_by_the_largest", kFunctional,
         searchsorted<Make::kPaddedByTheLargest>);
  define(m, "bucketize_lowest_not_counted", kBucketize, bucketize<Make::kLowestNotCounted>);
  define(m, "bucketize_ties_to_the_right", kBucketize, bucketize<Make::kTiesToTheRight>);
  define(m, "bucketize_compares_floats", kBucketize, bucketize<Make::kComparesFloats>);
}

TORCH_LIBRARY_FRAGMENT(correct, m) {
  define(m, "searchsorted_strided", kFunctional, searchsorted<Make::kReference>);
  define(m, "searchsorted_strided", kOut, searchsorted_out<Make::kReference>);
  define(m, "searchsorted_with_sorter", kWithSorter, searchsorted_by<Make::kReference>);
  define(m, "bucketize_composed", kBucketize, bucketize_composed);
}

}  // namespace
}  // namespace planted
