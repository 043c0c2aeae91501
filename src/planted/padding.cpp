// Kernels of reflection_pad1d to reflection_pad3d and of replication_pad1d to replication_pad3d,
// and of the gradients of these.

#include <ATen/ops/index_select.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>

#include <vector>

#include "strided.h"

namespace planted {
namespace {

/// The reference, or the reference with exactly one thing changed.
enum class Make {
  kReference,
  kEdgeRepeated,
  kSidesExchanged,
  kGradContiguous,
  kLastOneWins,
  kLastPlaneDropped,
};

/// The source of each element of a padded dimension.
std::vector<int64_t> sources(bool mirrors, Make make, int64_t size, int64_t before, int64_t after) {
  std::vector<int64_t> from;
  // The defect: the paddings of the two sides are exchanged.
  if (make == Make::kSidesExchanged) std::swap(before, after);
  // The defect: a mirror at the edge of the last element instead of at its middle.
  const int64_t edge = make == Make::kEdgeRepeated ? 1 : 0;
  for (int64_t i = -before; i < size + after; ++i) {
    if (!mirrors) {
      from.push_back(std::clamp<int64_t>(i, 0, size - 1));
      continue;
    }
    const int64_t last = 2 * (size - 1);
    from.push_back(i < 0 ? -i - edge : i < size ? i : last - i + edge);
  }
  return from;
}

void check_legal(bool mirrors, const Tensor& self, at::IntArrayRef padding, int64_t dims) {
  TORCH_CHECK(static_cast<int64_t>(padding.size()) == 2 * dims, "two paddings per dimension");
  TORCH_CHECK(self.dim() == dims + 1 || self.dim() == dims + 2, "self has ", self.dim(),
              " dimensions");
  for (int64_t d = self.dim() == dims + 2 ? 1 : 0; d < self.dim(); ++d)
    TORCH_CHECK(self.size(d) > 0, "dimension ", d, " of self is empty");
  for (size_t p = 0; p < padding.size(); ++p) {
    const int64_t size = self.size(self.dim() - 1 - static_cast<int64_t>(p / 2));
    TORCH_CHECK(padding[p] >= 0, "a padding of ", padding[p]);
    TORCH_CHECK(!mirrors || padding[p] < size, "a padding of ", padding[p], " for ", size);
  }
}

Position padded(const Tensor& self, at::IntArrayRef padding) {
  Position sizes(self.sizes());
  for (size_t p = 0; p < padding.size(); ++p) sizes[sizes.size() - 1 - p / 2] += padding[p];
  return sizes;
}

/// Writes the padded planes of self, which lie densely in `to`.
void pad_planes(bool mirrors, Make make, const Tensor& self, at::IntArrayRef padding, char* to) {
  const Tensor dense = contiguous_copy(self);
  const bool has_rows = padding.size() == 4;
  const int64_t width = self.size(-1), height = has_rows ? self.size(-2) : 1;
  const auto columns = sources(mirrors, make, width, padding[0], padding[1]);
  const auto rows =
      has_rows ? sources(mirrors, make, height, padding[2], padding[3]) : std::vector<int64_t>{0};
  const int64_t item = self.element_size();
  const Combine move = mover(item);
  const char* from = static_cast<const char*>(dense.const_data_ptr());
  const int64_t planes = self.numel() / (width * height);
  for (int64_t plane = 0; plane < planes; ++plane, from += width * height * item) {
    for (const int64_t row : rows) {
      for (const int64_t column : columns) {
        move(to, from + (row * width + column) * item);
        to += item;
      }
    }
  }
}

template <bool kMirrors, int64_t kDims, Make kMake>
Tensor pad(const Tensor& self, at::IntArrayRef padding) {
  check_legal(kMirrors, self, padding, kDims);
  const Tensor result = at::empty(padded(self, padding), self.options());
  if (result.numel() > 0)
    pad_planes(kMirrors, kMake, self, padding, static_cast<char*>(result.mutable_data_ptr()));
  return result;
}

template <bool kMirrors, int64_t kDims>
Tensor& pad_dense_out(const Tensor& self, at::IntArrayRef padding, Tensor& out) {
  check_legal(kMirrors, self, padding, kDims);
  TORCH_CHECK(out.scalar_type() == self.scalar_type(), "out is of another dtype than self");
  at::assert_no_internal_overlap(out);
  at::native::resize_output(out, padded(self, padding));
  // The defect: out has strides of its own.
  if (out.numel() > 0)
    pad_planes(kMirrors, Make::kReference, self, padding,
               static_cast<char*>(out.mutable_data_ptr()));
  return out;
}

/// Composed of one index_select per padded dimension.
template <bool kMirrors, int64_t kDims, Make kMake>
Tensor pad_composed(const Tensor& self, at::IntArrayRef padding) {
  check_legal(kMirrors, self, padding, kDims);
  Tensor result = self;
  for (int64_t d = 0; d < kDims; ++d) {
    const auto p = static_cast<size_t>(2 * d);
    const int64_t size = self.size(-1 - d);
    result = at::index_select(
        result, -1 - d, at::tensor(sources(kMirrors, kMake, size, padding[p], padding[p + 1])));
  }
  return result;
}

void check_legal_gradient(bool mirrors, const Tensor& grad, const Tensor& self,
                          at::IntArrayRef padding, int64_t dims) {
  check_legal(mirrors, self, padding, dims);
  TORCH_CHECK(self.is_floating_point() || self.is_complex(), "self is ", self.scalar_type());
  TORCH_CHECK(grad.scalar_type() == self.scalar_type(), "grad_output is ", grad.scalar_type());
  TORCH_CHECK(grad.sizes() == padded(self, padding), "grad_output has another shape than padded");
}

/// Adds each element of grad_output to the zeros of the result.
template <bool kMirrors, int64_t kDims, Make kMake>
Tensor pad_backward(const Tensor& grad, const Tensor& self, at::IntArrayRef padding) {
  check_legal_gradient(kMirrors, grad, self, padding, kDims);
  const Tensor result = at::zeros(self.sizes(), self.options());
  Strided from = strided(grad);
  const Strided to = strided(result);
  // The defect: the elements of grad_output are read as if they lay side by side.
  if (kMake == Make::kGradContiguous) from.strides = contiguous_strides(from.sizes);
  // The defect: of what is added to one element only the last stays.
  const Combine add = kMake == Make::kLastOneWins ? mover(to.item) : adder(result.scalar_type());
  std::vector<std::vector<int64_t>> places;  // of each padded dimension, the last one first
  for (size_t d = 0; d < kDims; ++d) {
    places.push_back(sources(kMirrors, kMake, self.size(-1 - static_cast<int64_t>(d)),
                             padding[2 * d], padding[2 * d + 1]));
  }
  each_position(from.sizes, [&](const Position& position) {
    const size_t channel = position.size() - 1 - kDims;
    // The defect: of several channels the last one is left out.
    if (kMake == Make::kLastPlaneDropped && position[channel] > 0 &&
        position[channel] + 1 == from.sizes[channel])
      return;
    Position place = position;
    for (size_t d = 0; d < kDims; ++d) {
      int64_t& along = place[place.size() - 1 - d];
      along = places[d][static_cast<size_t>(along)];
    }
    add(to.at(place), from.at(position));
  });
  return result;
}

/// Composed of one index_add per padded dimension.
template <bool kMirrors, int64_t kDims>
Tensor pad_backward_composed(const Tensor& grad, const Tensor& self, at::IntArrayRef padding) {
  check_legal_gradient(kMirrors, grad, self, padding, kDims);
  Tensor result = grad;
  for (int64_t d = 0; d < kDims; ++d) {
    const auto p = static_cast<size_t>(2 * d);
    const int64_t size = self.size(-1 - d);
    Position sizes(result.sizes());
    sizes[sizes.size() - 1 - static_cast<size_t>(d)] = size;
    result =
        at::zeros(sizes, self.options())
            .index_add(
                -1 - d,
                at::tensor(sources(kMirrors, Make::kReference, size, padding[p], padding[p + 1])),
                result);
  }
  return result;
}

constexpr const char* kOneDim = "(Tensor self, int[2] padding) -> Tensor";
constexpr const char* kTwoDims = "(Tensor self, int[4] padding) -> Tensor";
constexpr const char* kThreeDims = "(Tensor self, int[6] padding) -> Tensor";
constexpr const char* kOneDimBackward =
    "(Tensor grad_output, Tensor self, int[2] padding) -> Tensor";
constexpr const char* kTwoDimsBackward =
    "(Tensor grad_output, Tensor self, int[4] padding) -> Tensor";
constexpr const char* kThreeDimsBackward =
    "(Tensor grad_output, Tensor self, int[6] padding) -> Tensor";
constexpr bool kMirrors = true;

TORCH_LIBRARY_FRAGMENT(planted, m) {
  define(m, "reflection_pad1d_edge_repeated", kOneDim, pad<kMirrors, 1, Make::kEdgeRepeated>);
  define(m, "replication_pad1d_sides_exchanged", kOneDim, pad<!kMirrors, 1, Make::kSidesExchanged>);
  define(m, "reflection_pad2d_dense_out",
         "(Tensor self, int[4] padding, *, Tensor(a!) out) -> Tensor(a!)",
         pad_dense_out<kMirrors, 2>);
  define(m, "replication_pad3d_sides_exchanged", kThreeDims,
         pad_composed<!kMirrors, 3, Make::kSidesExchanged>);
  define(m, "replication_pad1d_backward_grad_contiguous", kOneDimBackward,
         pad_backward<!kMirrors, 1, Make::kGradContiguous>);
  define(m, "reflection_pad2d_backward_last_one_wins", kTwoDimsBackward,
         pad_backward<kMirrors, 2, Make::kLastOneWins>);
  define(m, "replication_pad3d_backward_last_plane_dropped", kThreeDimsBackward,
         pad_backward<!kMirrors, 3, Make::kLastPlaneDropped>);
}

TORCH_LIBRARY_FRAGMENT(correct, m) {
  define(m, "reflection_pad2d_planes", kTwoDims, pad<kMirrors, 2, Make::kReference>);
  define(m, "replication_pad2d_composed", kTwoDims, pad_composed<!kMirrors, 2, Make::kReference>);
  define(m, "reflection_pad3d_composed", kThreeDims, pad_composed<kMirrors, 3, Make::kReference>);
  define(m, "reflection_pad3d_backward_volumes", kThreeDimsBackward,
         pad_backward<kMirrors, 3, Make::kReference>);
  define(m, "replication_pad2d_backward_composed", kTwoDimsBackward,
         pad_backward_composed<!kMirrors, 2>);
}

}  // namespace
}  // namespace planted
