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
  kPlanesOfGrad,
  kLastOneWins,
  kIndicesUnchecked,
};

void check_legal(const Tensor& grad, const Tensor& self, const Tensor& indices) {
  TORCH_CHECK(self.dim() == 3 || self.dim() == 4, "self has ", self.dim(), " dimensions");
  TORCH_CHECK(at::isFloatingType(self.scalar_type()), "self is ", self.scalar_type());
  TORCH_CHECK(grad.scalar_type() == self.scalar_type(), "grad_output is ", grad.scalar_type());
  TORCH_CHECK(indices.scalar_type() == at::kLong, "indices are ", indices.scalar_type());
  TORCH_CHECK(grad.sizes() == indices.sizes(), "indices have another shape than grad_output");
  const auto in_front = [](const Tensor& tensor) {
    return tensor.sizes().slice(0, static_cast<size_t>(tensor.dim()) - 2);
  };
  TORCH_CHECK(grad.dim() == self.dim() && in_front(grad) == in_front(self),
              "grad_output has other planes than self");
  TORCH_CHECK(grad.numel() > 0 || self.size(0) == 0, "grad_output is empty");
}

/// Adds grad_output to the zeros of a dense result.
void add_to_planes(Make make, const Tensor& grad, const Tensor& indices, const Tensor& result) {
  Strided from = strided(grad);
  const Strided to = strided(result), which = strided(indices);
  // The defect: the elements of grad_output are read as if they lay side by side.
  if (make == Make::kGradContiguous) from.strides = contiguous_strides(from.sizes);
  const Combine add = make == Make::kLastOneWins
                          // The defect: of what is added to one element only the last stays.
                          ? mover(to.item)
                          : adder(result.scalar_type());
  const int64_t plane_of_grad = grad.size(-2) * grad.size(-1);
  const int64_t plane = result.size(-2) * result.size(-1);
  // The defect: planes of the result are taken to be no larger than those of grad_output.
  const int64_t stride = make == Make::kPlanesOfGrad ? std::min(plane, plane_of_grad) : plane;
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

template <Make kMake>
Tensor adaptive_max_pool2d_backward(const Tensor& grad, const Tensor& self, const Tensor& indices) {
  check_legal(grad, self, indices);
  const Tensor result = at::zeros(self.sizes(), self.options());
  add_to_planes(kMake, grad, indices, result);
  return result;
}

Tensor& adaptive_max_pool2d_backward_out(const Tensor& grad, const Tensor& self,
                                         const Tensor& indices, Tensor& grad_input) {
  fill_out(adaptive_max_pool2d_backward<Make::kReference>(grad, self, indices), grad_input);
  return grad_input;
}

Tensor& adaptive_max_pool2d_backward_added_to_out(const Tensor& grad, const Tensor& self,
                                                  const Tensor& indices, Tensor& grad_input) {
  check_legal(grad, self, indices);
  TORCH_CHECK(grad_input.scalar_type() == self.scalar_type(), "grad_input has another dtype");
  at::assert_no_internal_overlap(grad_input);
  at::native::resize_output(grad_input, self.sizes());
  // The defect: the gradient is added to what grad_input held, not to zeros.
  const Tensor sums = contiguous_copy(grad_input);
  add_to_planes(Make::kReference, grad, indices, sums);
  copy_elements(strided(sums), strided(grad_input));
  return grad_input;
}

/// Composed of one scatter_add over flattened planes.
Tensor adaptive_max_pool2d_backward_composed(const Tensor& grad, const Tensor& self,
                                             const Tensor& indices) {
  check_legal(grad, self, indices);
  const int64_t planes = self.size(-3) * (self.dim() == 4 ? self.size(0) : 1);
  const Position from{planes, grad.size(-2) * grad.size(-1)};
  return at::zeros({planes, self.size(-2) * self.size(-1)}, self.options())
      .scatter_add(1, indices.reshape(from), grad.reshape(from))
      .view(self.sizes());
}

constexpr const char* kFunctional = "(Tensor grad_output, Tensor self, Tensor indices) -> Tensor";
constexpr const char* kOut =
    ".grad_input(Tensor grad_output, Tensor self, Tensor indices, *, Tensor(a!) grad_input) -> "
    "Tensor(a!)";

TORCH_LIBRARY_FRAGMENT(planted, m) {
  define(m, "adaptive_max_pool2d_backward_grad_contiguous", kFunctional,
         adaptive_max_pool2d_backward<Make::kGradContiguous>);
  define(m, "adaptive_max_pool2d_backward_planes_of_grad", kFunctional,
         adaptive_max_pool2d_backward<Make::kPlanesOfGrad>);
  define(m, "adaptive_max_pool2d_backward_last_one_wins", kFunctional,
         adaptive_max_pool2d_backward<Make::kLastOneWins>);
  define(m, "adaptive_max_pool2d_backward_indices_unchecked", kFunctional,
         adaptive_max_pool2d_backward<Make::kIndicesUnchecked>);
  define(m, "adaptive_max_pool2d_backward_added_to_out", kOut,
         adaptive_max_pool2d_backward_added_to_out);
}

TORCH_LIBRARY_FRAGMENT(correct, m) {
  define(m, "adaptive_max_pool2d_backward_from_the_end", kFunctional,
         adaptive_max_pool2d_backward<Make::kFromTheEnd>);
  define(m, "adaptive_max_pool2d_backward_strided", kOut, adaptive_max_pool2d_backward_out);
  define(m, "adaptive_max_pool2d_backward_composed", kFunctional,
         adaptive_max_pool2d_backward_composed);
}

}  // namespace
}  // namespace planted
