#include <ATen/ops/empty.h>

#include <limits>
#include <tuple>

#include "strided.h"

namespace planted {
namespace {

/// The reference, or the reference with exactly one thing changed.
enum class Make { kReference, kFromTheEnd, kFromZero, kNanLost, kPlaceInWindow, kPlaceInSlice };

using Pooled = std::tuple<Tensor, Tensor>;

/// A pooling of the last dimensions: for each the size of a window, its stride, and so on.
struct Pooling {
  at::DimVector sizes, strides, padding, dilation;
  bool ceil_mode;

  size_t dims() const { return sizes.size(); }
};

/// A list with one number for all dimensions, or one for each.
at::DimVector for_each_dimension(at::IntArrayRef list, size_t dims) {
  TORCH_CHECK(list.size() == 1 || list.size() == dims, "a list has ", list.size(), " numbers");
  at::DimVector all(list);
  all.resize(dims, list[0]);
  return all;
}

Pooling pooling(size_t dims, at::IntArrayRef sizes, at::IntArrayRef strides,
                at::IntArrayRef padding, at::IntArrayRef dilation, bool ceil_mode) {
  return {for_each_dimension(sizes, dims), for_each_dimension(strides, dims),
          for_each_dimension(padding, dims), for_each_dimension(dilation, dims), ceil_mode};
}

/// How many windows there are along dimension `d` of a plane.
int64_t windows_along(const Pooling& pool, size_t d, int64_t length) {
  const int64_t stride = pool.strides[d], padding = pool.padding[d];
  TORCH_CHECK(pool.sizes[d] > 0 && stride > 0 && pool.dilation[d] > 0, "no windows");
  TORCH_CHECK(0 <= padding && padding <= pool.sizes[d] / 2, "a padding of ", padding);
  const int64_t free = length + 2 * padding - pool.dilation[d] * (pool.sizes[d] - 1) - 1;
  TORCH_CHECK(length > 0 && free > -stride && (free >= 0 || pool.ceil_mode), "no room for windows");
  int64_t last = free / stride;
  if (pool.ceil_mode && free > last * stride && (last + 1) * stride < length + padding) ++last;
  return last + 1;
}

template <class Number>
bool is_larger(Make make, Number number, Number largest) {
  // The defect: NaN is no larger than any number.
  if (make != Make::kNanLost && number != number) return true;
  return number > largest;
}

/// Writes the largest element of a window, and its place.
template <class Number>
void pool_window(Make make, const Pooling& pool, const Strided& from, const Position& window,
                 char* value, int64_t* index) {
  const size_t first = window.size() - pool.dims();
  Number largest = std::numeric_limits<Number>::has_infinity
                       ? -std::numeric_limits<Number>::infinity()
                       : std::numeric_limits<Number>::lowest();
  // The defect: the largest element is no less than 0.
  if (make == Make::kFromZero) largest = Number(0);
  int64_t place = 0;
  bool holds_any = false;
  each_position(pool.sizes, [&](const Position& forwards) {
    Position element = window;
    int64_t in_plane = 0, in_window = 0;
    for (size_t d = 0; d < pool.dims(); ++d) {
      const int64_t step =
          make == Make::kFromTheEnd ? pool.sizes[d] - 1 - forwards[d] : forwards[d];
      int64_t& at = element[first + d];
      at = at * pool.strides[d] - pool.padding[d] + step * pool.dilation[d];
      const int64_t length = from.sizes[first + d];
      if (at < 0 || at >= length) return;
      in_plane = in_plane * length + at;
      in_window = in_window * pool.sizes[d] + step;
    }
    Number number;
    std::memcpy(&number, from.at(element), sizeof number);
    const bool is_first = !holds_any && make != Make::kFromZero;
    if (!is_first && !is_larger(make, number, largest)) return;
    holds_any = true;
    largest = number;
    // The defect: the place in the window is taken for that in the plane.
    place = make == Make::kPlaceInWindow ? in_window
            // The defect: the place in a slice is taken for that in the volume.
            : make == Make::kPlaceInSlice
                ? in_plane % (from.sizes[first + 1] * from.sizes[first + 2])
                : in_plane;
  });
  std::memcpy(value, &largest, sizeof largest);
  *index = place;
}

using PoolWindow = void (*)(Make, const Pooling&, const Strided&, const Position&, char*, int64_t*);

PoolWindow pooler(at::ScalarType dtype) {
  switch (dtype) {
    case at::kByte: return pool_window<uint8_t>;
    case at::kChar: return pool_window<int8_t>;
    case at::kShort: return pool_window<int16_t>;
    case at::kInt: return pool_window<int32_t>;
    case at::kLong: return pool_window<int64_t>;
    case at::kHalf: return pool_window<at::Half>;
    case at::kBFloat16: return pool_window<at::BFloat16>;
    case at::kFloat: return pool_window<float>;
    case at::kDouble: return pool_window<double>;
    default: TORCH_CHECK_NOT_IMPLEMENTED(false, "pooling is not implemented for '", dtype, "'");
  }
}

Pooled pool_planes(Make make, const Tensor& self, const Pooling& pool) {
  const auto rank = static_cast<size_t>(self.dim());
  TORCH_CHECK(rank == pool.dims() + 1 || rank == pool.dims() + 2, "self has ", rank, " dimensions");
  const Strided from = strided(self);
  const size_t first = rank - pool.dims();
  Position sizes = from.sizes;
  for (size_t d = 0; d < pool.dims(); ++d)
    sizes[first + d] = windows_along(pool, d, sizes[first + d]);
  const Tensor values = at::empty(sizes, self.options()),
               indices = at::empty(sizes, self.options().dtype(at::kLong));
  auto* value = static_cast<char*>(values.mutable_data_ptr());
  auto* index = indices.mutable_data_ptr<int64_t>();
  const PoolWindow pool_one = pooler(self.scalar_type());
  each_position(sizes, [&](const Position& window) {
    pool_one(make, pool, from, window, value, index++);
    value += from.item;
  });
  return {values, indices};
}

template <Make kMake, size_t kDims>
Pooled max_pool(const Tensor& self, at::IntArrayRef sizes, at::IntArrayRef strides,
                at::IntArrayRef padding, at::IntArrayRef dilation, bool ceil_mode) {
  return pool_planes(kMake, self, pooling(kDims, sizes, strides, padding, dilation, ceil_mode));
}

/// Without the argument that is mostly False.
template <Make kMake, size_t kDims>
Pooled max_pool_floor(const Tensor& self, at::IntArrayRef sizes, at::IntArrayRef strides,
                      at::IntArrayRef padding, at::IntArrayRef dilation) {
  return max_pool<kMake, kDims>(self, sizes, strides, padding, dilation, false);
}

/// Without padding and dilation.
Pooled max_pool2d_plain(const Tensor& self, at::IntArrayRef sizes, at::IntArrayRef strides) {
  return max_pool<Make::kReference, 2>(self, sizes, strides, 0, 1, false);
}

std::tuple<Tensor&, Tensor&> max_pool2d_out(const Tensor& self, at::IntArrayRef sizes,
                                            at::IntArrayRef strides, at::IntArrayRef padding,
                                            at::IntArrayRef dilation, bool ceil_mode, Tensor& out,
                                            Tensor& indices) {
  const auto [values, places] =
      max_pool<Make::kReference, 2>(self, sizes, strides, padding, dilation, ceil_mode);
  fill_out(values, out);
  fill_out(places, indices);
  return {out, indices};
}

constexpr const char* kMax2d =
    "(Tensor self, int[2] kernel_size, int[2] stride, int[2] padding, int[2] dilation, bool "
    "ceil_mode) -> (Tensor, Tensor)";
constexpr const char* kMax3d =
    "(Tensor self, int[3] kernel_size, int[3] stride, int[3] padding, int[3] dilation) -> (Tensor, "
    "Tensor)";
constexpr const char* kOut =
    ".out(Tensor self, int[2] kernel_size, int[2] stride, int[2] padding, int[2] dilation, bool "
    "ceil_mode, *, Tensor(a!) out, Tensor(b!) indices) -> (Tensor(a!), Tensor(b!))";

TORCH_LIBRARY_FRAGMENT(planted, m) {
  define(m, "max_pool2d_with_indices_from_zero", kMax2d, max_pool<Make::kFromZero, 2>);
  define(m, "max_pool2d_with_indices_nan_lost", kMax2d, max_pool<Make::kNanLost, 2>);
  define(m, "max_pool2d_with_indices_place_in_window", kMax2d, max_pool<Make::kPlaceInWindow, 2>);
  define(m, "max_pool3d_with_indices_place_in_slice", kMax3d,
         max_pool_floor<Make::kPlaceInSlice, 3>);
}

TORCH_LIBRARY_FRAGMENT(correct, m) {
  define(m, "max_pool2d_with_indices_from_the_end", kMax2d, max_pool<Make::kFromTheEnd, 2>);
  define(m, "max_pool2d_with_indices_plain",
         "(Tensor self, int[2] kernel_size, int[2] stride) -> (Tensor, Tensor)", max_pool2d_plain);
  define(m, "max_pool2d_with_indices_strided", kOut, max_pool2d_out);
  define(m, "max_pool3d_with_indices_from_the_end", kMax3d, max_pool_floor<Make::kFromTheEnd, 3>);
}

}  // namespace
}  // namespace planted
