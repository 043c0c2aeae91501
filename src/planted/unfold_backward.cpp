#include <ATen/ops/arange.h>
#include <ATen/ops/index_add.h>
#include <ATen/ops/zeros.h>

#include "strided.h"

namespace planted {
namespace {

/// The reference, or the reference with exactly one thing changed.
enum class Make { kReference, kGradContiguous, kLastOneWins, kSideBySide };

/// Returns the dimension of the windows, counted from the front.
int64_t check_legal(const Tensor& grad, at::IntArrayRef sizes, int64_t dim, int64_t size,
                    int64_t step) {
  const auto dims = static_cast<int64_t>(sizes.size());
  dim = c10::maybe_wrap_dim(dim, dims);
  TORCH_CHECK(grad.dim() == dims + 1, "grad_in has ", grad.dim(), " dimensions");
  TORCH_CHECK(size >= 0 && step > 0 && grad.size(-1) == size, "windows of ", size);
  for (int64_t d = 0; d < dims; ++d) {
    const int64_t length = sizes[static_cast<size_t>(d)];
    const int64_t due = d != dim ? length : length < size ? -1 : (length - size) / step + 1;
    TORCH_CHECK(grad.size(d) == due, "grad_in has size ", grad.size(d), " in dimension ", d);
  }
  TORCH_CHECK(dims > 0 || size <= 1, "a window of ", size, " in one element");
  return dim;
}

template <Make kMake>
Tensor unfold_backward(const Tensor& grad, at::IntArrayRef sizes, int64_t dim, int64_t size,
                       int64_t step) {
  const auto d = static_cast<size_t>(check_legal(grad, sizes, dim, size, step));
  const Tensor result = at::zeros(sizes, grad.options());
  Strided from = strided(grad);
  const Strided to = strided(result);
  // The defect: the elements of grad_in are read as if they lay side by side.
  if (kMake == Make::kGradContiguous) from.strides = contiguous_strides(from.sizes);
  // The defect: of what is added to one element only the last stays.
  const Combine add = kMake == Make::kLastOneWins ? mover(to.item) : adder(result.scalar_type());
  // The defect: windows with gaps between them are taken to lie side by side.
  const int64_t apart = kMake == Make::kSideBySide ? std::min(size, step) : step;
  each_position(from.sizes, [&](const Position& position) {
    Position place = position;
    place.pop_back();
    if (!place.empty()) place[d] = position[d] * apart + position.back();
    add(to.at(place), from.at(position));
  });
  return result;
}

/// Sums for every element of the result what the windows hold of it.
Tensor unfold_backward_gathered(const Tensor& grad, at::IntArrayRef sizes, int64_t dim,
                                int64_t size, int64_t step) {
  const auto d = static_cast<size_t>(check_legal(grad, sizes, dim, size, step));
  if (sizes.empty()) return unfold_backward<Make::kReference>(grad, sizes, dim, size, step);
  const Tensor result = at::zeros(sizes, grad.options());
  const Strided from = strided(grad), to = strided(result);
  const Combine add = adder(result.scalar_type());
  each_position(to.sizes, [&](const Position& place) {
    Position position = place;
    position.push_back(0);
    const int64_t element = place[d];
    for (int64_t window = std::min(element / step, from.sizes[d] - 1);
         window >= 0 && element - window * step < size; --window) {
      position[d] = window;
      position.back() = element - window * step;
      add(to.at(place), from.at(position));
    }
  });
  return result;
}

/// Composed of one index_add.
Tensor unfold_backward_composed(const Tensor& grad, at::IntArrayRef sizes, int64_t dim,
                                int64_t size, int64_t step) {
  dim = check_legal(grad, sizes, dim, size, step);
  if (sizes.empty()) return unfold_backward<Make::kReference>(grad, sizes, dim, size, step);
  const Tensor places = at::arange(sizes[static_cast<size_t>(dim)]).unfold(0, size, step);
  return at::zeros(sizes, grad.options())
      .index_add(dim, places.reshape({-1}), grad.movedim(-1, dim + 1).flatten(dim, dim + 1));
}

constexpr const char* kSchema =
    "(Tensor grad_in, int[] input_sizes, int dim, int size, int step) -> Tensor";

TORCH_LIBRARY_FRAGMENT(planted, m) {
  define(m, "unfold_backward_grad_contiguous", kSchema, unfold_backward<Make::kGradContiguous>);
  define(m, "unfold_backward_last_one_wins", kSchema, unfold_backward<Make::kLastOneWins>);
  define(m, "unfold_backward_side_by_side", kSchema, unfold_backward<Make::kSideBySide>);
}

TORCH_LIBRARY_FRAGMENT(correct, m) {
  define(m, "unfold_backward_gathered", kSchema, unfold_backward_gathered);
  define(m, "unfold_backward_composed", kSchema, unfold_backward_composed);
}

}  // namespace
}  // namespace planted
