#include <ATen/Dispatch.h>
#include <ATen/OpMathType.h>

#include <cmath>
#include <limits>
#include <vector>

#include "strided.h"

namespace planted {
namespace {

/// The reference, or the reference with exactly one thing changed.
enum class Make {
  kReference,
  kLengthsContiguous,
  kRowOfFirst,
  kEmptyMeanZero,
};

enum class Reduction { kSum, kProd, kMean, kMax, kMin };

Reduction reduction_named(c10::string_view name) {
  if (name == "sum") return Reduction::kSum;
  if (name == "prod") return Reduction::kProd;
  if (name == "mean") return Reduction::kMean;
  if (name == "max") return Reduction::kMax;
  TORCH_CHECK(name == "min", "there is no reduction ", name);
  return Reduction::kMin;
}

/// The offsets of each row, one row after the other.
struct Segments {
  int64_t count = 0;  ///< of each row
  std::vector<int64_t> offsets;

  const int64_t* row(int64_t r) const { return offsets.data() + r * (count + 1); }
};

std::vector<int64_t> read_numbers(Make make, const Tensor& tensor) {
  TORCH_CHECK(tensor.scalar_type() == at::kLong || tensor.scalar_type() == at::kInt,
              "lengths and offsets must be int32 or int64, got ", tensor.scalar_type());
  Strided view = strided(tensor);
  // The defect: the numbers are read as if they lay side by side.
  if (make == Make::kLengthsContiguous) view.strides = contiguous_strides(view.sizes);
  std::vector<int64_t> numbers;
  each_position(view.sizes, [&](const Position& position) {
    int64_t number = 0;
    if (view.item == 8) {
      std::memcpy(&number, view.at(position), 8);
    } else {
      int32_t narrow;
      std::memcpy(&narrow, view.at(position), 4);
      number = narrow;
    }
    numbers.push_back(number);
  });
  return numbers;
}

Segments read_segments(Make make, const Tensor& data, int64_t axis, const Tensor& tensor,
                       bool are_offsets) {
  TORCH_CHECK(tensor.dim() == axis + 1 && tensor.dim() <= data.dim(), "axis ", axis,
              " is not the last dimension of shape ", tensor.sizes());
  for (int64_t d = 0; d < axis; ++d)
    TORCH_CHECK(tensor.size(d) == data.size(d), "shape ", tensor.sizes(), " does not fit ",
                data.sizes());
  const int64_t width = tensor.size(axis);
  TORCH_CHECK(width > 0 || !are_offsets, "there are no offsets");
  const std::vector<int64_t> numbers = read_numbers(make, tensor);
  Segments segments{are_offsets ? width - 1 : width, {}};
  int64_t rows = 1;
  for (int64_t d = 0; d < axis; ++d) rows *= tensor.size(d);
  for (int64_t r = 0; r < rows; ++r) {
    const int64_t* from = numbers.data() + r * width;
    const size_t first = segments.offsets.size();
    segments.offsets.push_back(are_offsets ? *from++ : 0);
    for (int64_t s = 0; s < segments.count; ++s) {
      const int64_t begin = segments.offsets.back();
      TORCH_CHECK(are_offsets ? from[s] >= begin : from[s] >= 0, "a segment of negative length");
      TORCH_CHECK(from[s] <= data.size(axis) - (are_offsets ? 0 : begin),
                  "a segment beyond the axis");
      segments.offsets.push_back(are_offsets ? from[s] : begin + from[s]);
    }
    TORCH_CHECK(segments.offsets[first] == 0 && segments.offsets.back() == data.size(axis),
                "segments do not go from 0 to ", data.size(axis));
  }
  return segments;
}

template <class Number>
Number of_no_elements(Make make, Reduction reduction) {
  using Numbers = std::numeric_limits<Number>;
  switch (reduction) {
    case Reduction::kSum: return 0;
    case Reduction::kProd: return 1;
    // The defect: a mean of nothing is 0.
    case Reduction::kMean: return make == Make::kEmptyMeanZero ? 0 : Numbers::quiet_NaN();
    case Reduction::kMax: return -Numbers::infinity();
    case Reduction::kMin: return Numbers::infinity();
  }
  return 0;
}

template <class Number>
Number united(Reduction reduction, Number value, Number other) {
  switch (reduction) {
    case Reduction::kSum:
    case Reduction::kMean: return value + other;
    case Reduction::kProd: return value * other;
    case Reduction::kMax: return std::isnan(value) || value > other ? value : other;
    case Reduction::kMin: return std::isnan(value) || value < other ? value : other;
  }
  return value;
}

using OptionalTensor = std::optional<Tensor>;
using OptionalScalar = std::optional<at::Scalar>;

template <Make kMake>
Tensor segment_reduce(const Tensor& data, c10::string_view reduce, const OptionalTensor& lengths,
                      const OptionalTensor& /*indices*/, const OptionalTensor& offsets,
                      int64_t axis, bool /*unsafe*/, const OptionalScalar& initial) {
  TORCH_CHECK(lengths.has_value() != offsets.has_value(), "either lengths or offsets");
  const Reduction reduction = reduction_named(reduce);
  axis = c10::maybe_wrap_dim(axis, data.dim());
  const Segments segments =
      read_segments(kMake, data, axis, lengths ? *lengths : *offsets, offsets.has_value());
  at::DimVector sizes(data.sizes());
  sizes[static_cast<size_t>(axis)] = segments.count;
  const Tensor result = at::empty(sizes, data.options());
  const Strided to = strided(result), from = strided(data);
  AT_DISPATCH_FLOATING_TYPES_AND2(
      at::kHalf, at::kBFloat16, data.scalar_type(), "segment_reduce", [&] {
        using Number = at::opmath_type<scalar_t>;
        each_position(to.sizes, [&](const Position& position) {
          int64_t row = 0;
          for (int64_t d = 0; d < axis; ++d) row = row * data.size(d) + position[d];
          // The defect: all rows are divided as the first one.
          const int64_t* const bounds = segments.row(kMake == Make::kRowOfFirst ? 0 : row);
          const int64_t begin = bounds[position[axis]], end = bounds[position[axis] + 1];
          Number number = of_no_elements<Number>(kMake, reduction);
          if (initial) number = static_cast<Number>(initial->to<scalar_t>());
          Position place = position;
          for (int64_t i = begin; i < end; ++i) {
            place[axis] = i;
            scalar_t element;
            std::memcpy(&element, from.at(place), sizeof element);
            const auto other = static_cast<Number>(element);
            number = i == begin && !initial ? other : united(reduction, number, other);
          }
          if (reduction == Reduction::kMean && begin < end)
            number /= static_cast<Number>(end - begin);
          const auto element = static_cast<scalar_t>(number);
          std::memcpy(to.at(position), &element, sizeof element);
        });
      });
  return result;
}

constexpr const char* kSchema =
    "(Tensor data, str reduce, *, Tensor? lengths=None, Tensor? indices=None, "
    "Tensor? offsets=None, int axis=0, bool unsafe=False, Scalar? initial=None) -> Tensor";

TORCH_LIBRARY_FRAGMENT(planted, m) {
  define(m, "segment_reduce_lengths_contiguous", kSchema, segment_reduce<Make::kLengthsContiguous>);
  define(m, "segment_reduce_row_of_first", kSchema, segment_reduce<Make::kRowOfFirst>);
  define(m, "segment_reduce_empty_mean_zero", kSchema, segment_reduce<Make::kEmptyMeanZero>);
}

TORCH_LIBRARY_FRAGMENT(correct, m) {
  define(m, "segment_reduce_strided", kSchema, segment_reduce<Make::kReference>);
}

}  // namespace
}  // namespace planted
