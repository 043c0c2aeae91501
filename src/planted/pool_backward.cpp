#include <ATen/ops/scatter_add.h>
#include <ATen/ops/zeros.h>

#include "strided.h"

namespace planted {
namespace {

/// The reference, or the reference with exactly one thing changed.
enum class Make {
  kReference,
  kFromTheEnd,
  kGradContiguous,
  kIndicesContiguous,
  kPlanesOfGrad,
  kLastOneWins,
  kIndicesUnchecked,
  kStridesOfGrad,
  kFirstPlane,
  kWithoutDilation,
};

/// The elements of the last `dims` dimensions.
int64_t plane_size(const Tensor& tensor, int64_t dims) {
  return c10::multiply_integers(tensor.sizes().slice(static_cast<size_t>(tensor.dim() - dims)));
}

/// `dims`: of a plane, or a volume.
void check_legal(const Tensor& grad, const Tensor& self, const Tensor& indices, int64_t dims) {
  TORCH_CHECK(self.dim() == dims + 1 || self.dim() == dims + 2, "self has ", self.dim(),
              " dimensions");
  TORCH_CHECK(at::isFloatingType(self.scalar_type()), "self is ", self.scalar_type());
  TORCH_CHECK(grad.scalar_type() == self.scalar_type(), "grad_output is ", grad.scalar_type());
  TORCH_CHECK(indices.scalar_type() == at::kLong, "indices are ", indices.scalar_type());
  TORCH_CHECK(grad.sizes() == indices.sizes(), "indices have another shape than grad_output");
  const auto in_front = [dims](const Tensor& tensor) {
    return tensor.sizes().slice(0, static_cast<size_t>(tensor.dim() - dims));
  };
  TORCH_CHECK(grad.dim() == self.dim() && in_front(grad) == in_front(self),
              "grad_output has other planes than self");
  TORCH_CHECK(grad.numel() > 0 || self.size(0) == 0, "grad_output is empty");
}

/// Adds grad_output to the zeros of a dense result.
void add_to_planes(Make make, int64_t dims, const Tensor& grad, const Tensor& indices,
                   const Tensor& result) {
  Strided from = strided(grad);
  Strided which = strided(indices);
  const Strided to = strided(result);
  // The defect: the elements of grad_output are read as if they lay side by side.
  if (make == Make::kGradContiguous) from.strides = contiguous_strides(from.sizes);
  // The defect: so are those of indices.
  if (make == Make::kIndicesContiguous) which.strides = contiguous_strides(which.sizes);
  // The defect: indices are taken to be laid out as grad_output is.
  if (make == Make::kStridesOfGrad) which.strides = from.strides;
  const Combine add = make == Make::kLastOneWins
                          // The defect: of what is added to one element only the last stays.
                          ? mover(to.item)
                          : adder(result.scalar_type());
  const int64_t plane_of_grad = plane_size(grad, dims), plane = plane_size(result, dims);
  // The defect: planes of the result are taken to be no larger than those of grad_output.
  const int64_t stride = make == Make::kPlanesOfGrad ? std::min(plane, plane_of_grad)
                         // The defect: every plane of grad_output is added to the first one.
                         : make == Make::kFirstPlane ? 0
                                                     : plane;
  int64_t element = 0;
  each_position(from.sizes, [&](const Position& forwards) {
    Position position = forwards;
    int64_t number = element++;
    if (make == Make::kFromTheEnd) {
      for (size_t d = 0; d < position.size(); ++d) position[d] = from.sizes[d] - 1 - position[d];
      number = grad.numel() - 1 - number;
    }
    const int64_t place = read_index(which.at(position), which.item);
    // The defect of kIndicesUnchecked: whatever the index names is written.
    TORCH_CHECK(make == Make::kIndicesUnchecked || (0 <= place && place < plane), "index ", place,
                " in a plane of ", plane);
    add(to.data + (number / plane_of_grad * stride + place) * to.item, from.at(position));
  });
}

template <Make kMake, int64_t kDims = 2>
Tensor adaptive_max_pool_backward(const Tensor& grad, const Tensor& self, const Tensor& indices) {
  check_legal(grad, self, indices, kDims);
  const Tensor result = at::zeros(self.sizes(), self.options());
  add_to_planes(kMake, kDims, grad, indices, result);
  return result;
}

template <Make kMake, int64_t kDims>
Tensor fractional_max_pool_backward(const Tensor& grad, const Tensor& self, at::IntArrayRef,
                                    at::IntArrayRef output_size, const Tensor& indices) {
  TORCH_CHECK(output_size == grad.sizes().slice(static_cast<size_t>(grad.dim() - kDims)),
              "grad_output is not of output_size");
  return adaptive_max_pool_backward<kMake, kDims>(grad, self, indices);
}

template <Make kMake, int64_t kDims>
Tensor max_pool_backward(const Tensor& grad, const Tensor& self, at::IntArrayRef, at::IntArrayRef,
                         at::IntArrayRef, at::IntArrayRef, bool, const Tensor& indices) {
  return adaptive_max_pool_backward<kMake, kDims>(grad, self, indices);
}

/// The windows along one dimension that may hold an element.
struct Windows {
  int64_t begin, end;
};
template <Make kMake>
Windows windows_around(int64_t element, int64_t windows, int64_t size, int64_t stride,
                       int64_t padding, int64_t dilation) {
  // The defect of kWithoutDilation: windows are taken to be as wide as without gaps.
  const int64_t width = kMake == Make::kWithoutDilation ? size : (size - 1) * dilation + 1;
  const int64_t place = element + padding;
  return {place < width ? 0 : (place - width) / stride + 1, std::min(place / stride + 1, windows)};
}

/// Looks for every element of a plane into the windows that hold it, and sums what names it.
template <Make kMake>
Tensor max_pool2d_backward_gathered(const Tensor& grad, const Tensor& self, at::IntArrayRef sizes,
                                    at::IntArrayRef strides, at::IntArrayRef padding,
                                    at::IntArrayRef dilation, const Tensor& indices) {
  check_legal(grad, self, indices, 2);
  const Tensor result = at::zeros(self.sizes(), self.options());
  const Strided from = strided(grad), which = strided(indices), to = strided(result);
  const Combine add = adder(result.scalar_type());
  const size_t y = to.sizes.size() - 2, x = y + 1;
  each_position(to.sizes, [&](const Position& element) {
    const int64_t number = element[y] * to.sizes[x] + element[x];
    const auto around = [&](size_t d) {
      return windows_around<kMake>(element[d], from.sizes[d], sizes[d - y], strides[d - y],
                                   padding[0], dilation[0]);
    };
    const Windows rows = around(y), columns = around(x);
    Position window = element;
    for (window[y] = rows.begin; window[y] < rows.end; ++window[y])
      for (window[x] = columns.begin; window[x] < columns.end; ++window[x])
        if (read_index(which.at(window), which.item) == number)
          add(to.at(element), from.at(window));
  });
  return result;
}

Tensor& adaptive_max_pool2d_backward_out(const Tensor& grad, const Tensor& self,
                                         const Tensor& indices, Tensor& grad_input) {
  fill_out(adaptive_max_pool_backward<Make::kReference>(grad, self, indices), grad_input);
  return grad_input;
}

Tensor& adaptive_max_pool2d_backward_added_to_out(const Tensor& grad, const Tensor& self,
                                                  const Tensor& indices, Tensor& grad_input) {
  check_legal(grad, self, indices, 2);
  TORCH_CHECK(grad_input.scalar_type() == self.scalar_type(), "grad_input has another dtype");
  at::assert_no_internal_overlap(grad_input);
  at::native::resize_output(grad_input, self.sizes());
  // The defect: the gradient is added to what grad_input held, not to zeros.
  const Tensor sums = contiguous_copy(grad_input);
  add_to_planes(Make::kReference, 2, grad, indices, sums);
  copy_elements(strided(sums), strided(grad_input));
  return grad_input;
}

/// Composed of one scatter_add over flattened planes.
Tensor adaptive_max_pool2d_backward_composed(const Tensor& grad, const Tensor& self,
                                             const Tensor& indices) {
  check_legal(grad, self, indices, 2);
  const int64_t planes = self.size(-3) * (self.dim() == 4 ? self.size(0) : 1);
  const Position from{planes, grad.size(-2) * grad.size(-1)};
  return at::zeros({planes, self.size(-2) * self.size(-1)}, self.options())
      .scatter_add(1, indices.reshape(from), grad.reshape(from))
      .view(self.sizes());
}

constexpr const char* kFunctional = "(Tensor grad_output, Tensor self, Tensor indices) -> Tensor";
constexpr const char* kFractional2d =
    "(Tensor grad_output, Tensor self, int[2] kernel_size, int[2] output_size, Tensor indices) -> "
    "Tensor";
constexpr const char* kFractional3d =
    "(Tensor grad_output, Tensor self, int[3] kernel_size, int[3] output_size, Tensor indices) -> "
    "Tensor";
constexpr const char* kMax2d =
    "(Tensor grad_output, Tensor self, int[2] kernel_size, int[2] stride, int[2] padding, int[2] "
    "dilation, bool ceil_mode, Tensor indices) -> Tensor";
constexpr const char* kMax2dFloor =
    "(Tensor grad_output, Tensor self, int[2] kernel_size, int[2] stride, int[2] padding, int[2] "
    "dilation, Tensor indices) -> Tensor";
constexpr const char* kMax3d =
    "(Tensor grad_output, Tensor self, int[3] kernel_size, int[3] stride, int[3] padding, int[3] "
    "dilation, bool ceil_mode, Tensor indices) -> Tensor";
constexpr const char* kOut =
    ".grad_input(Tensor grad_output, Tensor self, Tensor indices, *, Tensor(a!) grad_input) -> "
    "Tensor(a!)";

TORCH_LIBRARY_FRAGMENT(planted, m) {
  define(m, "adaptive_max_pool2d_backward_grad_contiguous", kFunctional,
         adaptive_max_pool_backward<Make::kGradContiguous>);
  define(m, "adaptive_max_pool2d_backward_planes_of_grad", kFunctional,
         adaptive_max_pool_backward<Make::kPlanesOfGrad>);
  define(m, "adaptive_max_pool2d_backward_last_one_wins", kFunctional,
         adaptive_max_pool_backward<Make::kLastOneWins>);
  define(m, "adaptive_max_pool2d_backward_indices_unchecked", kFunctional,
         adaptive_max_pool_backward<Make::kIndicesUnchecked>);
  define(m, "adaptive_max_pool2d_backward_added_to_out", kOut,
         adaptive_max_pool2d_backward_added_to_out);
  define(m, "adaptive_max_pool3d_backward_indices_contiguous", kFunctional,
         adaptive_max_pool_backward<Make::kIndicesContiguous, 3>);
  define(m, "fractional_max_pool2d_backward_last_one_wins", kFractional2d,
         fractional_max_pool_backward<Make::kLastOneWins, 2>);
  define(m, "fractional_max_pool3d_backward_planes_of_grad", kFractional3d,
         fractional_max_pool_backward<Make::kPlanesOfGrad, 3>);
  define(m, "max_pool2d_with_indices_backward_strides_of_grad", kMax2d,
         max_pool_backward<Make::kStridesOfGrad, 2>);
  define(m, "max_pool2d_with_indices_backward_without_dilation", kMax2dFloor,
         max_pool2d_backward_gathered<Make::kWithoutDilation>);
  define(m, "max_pool3d_with_indices_backward_first_volume", kMax3d,
         max_pool_backward<Make::kFirstPlane, 3>);
}

TORCH_LIBRARY_FRAGMENT(correct, m) {
  define(m, "adaptive_max_pool2d_backward_from_the_end", kFunctional,
         adaptive_max_pool_backward<Make::kFromTheEnd>);
  define(m, "adaptive_max_pool2d_backward_strided", kOut, adaptive_max_pool2d_backward_out);
  define(m, "adaptive_max_pool2d_backward_composed", kFunctional,
         adaptive_max_pool2d_backward_composed);
  define(m, "adaptive_max_pool3d_backward_from_the_end", kFunctional,
         adaptive_max_pool_backward<Make::kFromTheEnd, 3>);
  define(m, "fractional_max_pool2d_backward_from_the_end", kFractional2d,
         fractional_max_pool_backward<Make::kFromTheEnd, 2>);
  define(m, "fractional_max_pool3d_backward_plain", kFractional3d,
         fractional_max_pool_backward<Make::kReference, 3>);
  define(m, "max_pool2d_with_indices_backward_gathered", kMax2dFloor,
         max_pool2d_backward_gathered<Make::kReference>);
  define(m, "max_pool3d_with_indices_backward_from_the_end", kMax3d,
         max_pool_backward<Make::kFromTheEnd, 3>);
}

}  // namespace
}  // namespace planted
