#include <ATen/ops/scatter.h>
#include <ATen/ops/zeros.h>

#include "strided.h"

namespace planted {
namespace {

/// The reference, or the reference with exactly one thing changed.
enum class Make { kReference, kFromTheEnd, kIndicesContiguous, kPlanesOfSelf, kOneSlice };

/// `dims`: of a plane, or a volume.
void check_legal(const Tensor& self, const Tensor& indices, at::IntArrayRef size,
                 int64_t dims = 2) {
  TORCH_CHECK(self.dim() == dims + 1 || self.dim() == dims + 2, "self has ", self.dim(),
              " dimensions");
  TORCH_CHECK(self.sizes() == indices.sizes(), "indices have another shape than self");
  TORCH_CHECK(static_cast<int64_t>(size.size()) == dims, "output_size has ", size.size(),
              " elements");
  TORCH_CHECK(at::isFloatingType(self.scalar_type()), "self is ", self.scalar_type());
  TORCH_CHECK(indices.scalar_type() == at::kLong, "indices are ", indices.scalar_type());
}

/// The sizes of the result.
Position unpooled(const Tensor& self, at::IntArrayRef size) {
  Position sizes(self.sizes());
  std::copy(size.begin(), size.end(), sizes.end() - static_cast<int64_t>(size.size()));
  return sizes;
}

/// Moves the elements of self to a dense result.
void move_to_planes(Make make, const Tensor& self, const Tensor& indices, at::IntArrayRef size,
                    char* to) {
  const Strided from = strided(self);
  Strided which = strided(indices);
  // The defect: what lies beside the indices is read, and refused as out of range.
  if (make == Make::kIndicesContiguous) which.strides = contiguous_strides(which.sizes);
  const Combine move = mover(from.item);
  const int64_t first = self.dim() - static_cast<int64_t>(size.size());
  const int64_t plane_of_self =
                    c10::multiply_integers(self.sizes().slice(static_cast<size_t>(first))),
                plane = c10::multiply_integers(size);
  // The defect: planes of the result are taken to be as large as those of self.
  const int64_t stride = make == Make::kPlanesOfSelf ? std::min(plane, plane_of_self)
                         // The defect: volumes of the result are taken to have a single slice.
                         : make == Make::kOneSlice ? plane / size[0]
                                                   : plane;
  int64_t element = 0;
  each_position(from.sizes, [&](const Position& forwards) {
    Position position = forwards;
    if (make == Make::kFromTheEnd) {
      for (size_t d = 0; d < position.size(); ++d) position[d] = from.sizes[d] - 1 - position[d];
    }
    const int64_t number = make == Make::kFromTheEnd ? self.numel() - 1 - element : element;
    const int64_t place = read_index(which.at(position), which.item);
    TORCH_CHECK(0 <= place && place < plane, "index ", place, " in a plane of ", plane);
    move(to + (number / plane_of_self * stride + place) * from.item, from.at(position));
    ++element;
  });
}

template <Make kMake>
Tensor max_unpool2d(const Tensor& self, const Tensor& indices, at::IntArrayRef size) {
  check_legal(self, indices, size);
  const Tensor result = at::zeros(unpooled(self, size), self.options());
  move_to_planes(kMake, self, indices, size, static_cast<char*>(result.mutable_data_ptr()));
  return result;
}

template <Make kMake>
Tensor max_unpool3d(const Tensor& self, const Tensor& indices, at::IntArrayRef size,
                    at::IntArrayRef, at::IntArrayRef) {
  check_legal(self, indices, size, 3);
  const Tensor result = at::zeros(unpooled(self, size), self.options());
  move_to_planes(kMake, self, indices, size, static_cast<char*>(result.mutable_data_ptr()));
  return result;
}

/// Without the arguments that have no effect.
Tensor max_unpool3d_from_the_end(const Tensor& self, const Tensor& indices, at::IntArrayRef size) {
  return max_unpool3d<Make::kFromTheEnd>(self, indices, size, {}, {});
}

Tensor& max_unpool2d_stale_out(const Tensor& self, const Tensor& indices, at::IntArrayRef size,
                               Tensor& out) {
  check_legal(self, indices, size);
  TORCH_CHECK(out.scalar_type() == self.scalar_type(), "out is of another dtype than self");
  at::assert_no_internal_overlap(out);
  at::native::resize_output(out, unpooled(self, size));
  // The defect: elements that no index names keep what they held.
  const Tensor dense = contiguous_copy(out);
  move_to_planes(Make::kReference, self, indices, size,
                 static_cast<char*>(dense.mutable_data_ptr()));
  copy_elements(strided(dense), strided(out));
  return out;
}

/// Composed of one scatter over flattened planes.
Tensor max_unpool2d_composed(const Tensor& self, const Tensor& indices, at::IntArrayRef size) {
  check_legal(self, indices, size);
  const int64_t plane_of_self = self.size(-2) * self.size(-1);
  const int64_t planes = self.numel() / plane_of_self;
  return at::zeros({planes, size[0] * size[1]}, self.options())
      .scatter(1, indices.reshape({planes, plane_of_self}), self.reshape({planes, plane_of_self}))
      .view(unpooled(self, size));
}

constexpr const char* kFunctional = "(Tensor self, Tensor indices, int[2] output_size) -> Tensor";

TORCH_LIBRARY_FRAGMENT(planted, m) {
  define(m, "max_unpool2d_indices_contiguous", kFunctional, max_unpool2d<Make::kIndicesContiguous>);
  define(m, "max_unpool2d_planes_of_self", kFunctional, max_unpool2d<Make::kPlanesOfSelf>);
  define(m, "max_unpool2d_stale_out",
         "(Tensor self, Tensor indices, int[2] output_size, *, Tensor(a!) out) -> Tensor(a!)",
         max_unpool2d_stale_out);
  define(m, "max_unpool3d_one_slice",
         "(Tensor self, Tensor indices, int[3] output_size, int[3] stride, int[3] padding) -> "
         "Tensor",
         max_unpool3d<Make::kOneSlice>);
}

TORCH_LIBRARY_FRAGMENT(correct, m) {
  define(m, "max_unpool2d_from_the_end", kFunctional, max_unpool2d<Make::kFromTheEnd>);
  define(m, "max_unpool2d_composed", kFunctional, max_unpool2d_composed);
  define(m, "max_unpool3d_from_the_end",
         "(Tensor self, Tensor indices, int[3] output_size) -> Tensor", max_unpool3d_from_the_end);
}

}  // namespace
}  // namespace planted
