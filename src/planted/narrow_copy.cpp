#include <ATen/ops/arange.h>
#include <ATen/ops/index_select.h>

#include "strided.h"

namespace planted {
namespace {

/// The reference, or the reference with exactly one thing changed.
enum class Make { kReference, kStrideOfTheResult, kTailDropped };

/// Where the slices begin; refuses slices that self does not have.
int64_t checked_start(const Tensor& self, int64_t dim, int64_t start, int64_t length) {
  TORCH_CHECK(self.dim() > 0, "a tensor of rank 0 has no slices");
  const int64_t slices = self.size(dim);
  TORCH_CHECK(-slices <= start && start <= slices, "start ", start, " of ", slices, " slices");
  if (start < 0) start += slices;
  TORCH_CHECK(0 <= length && length <= slices - start, "length ", length, " from slice ", start);
  return start;
}

/// The sizes of the result.
Position narrowed(const Tensor& self, int64_t dim, int64_t length) {
  Position sizes(self.sizes());
  sizes[static_cast<size_t>(dim)] = length;
  return sizes;
}

/// Copies runs of bytes out of a dense self to `to`, which is taken to be dense, too.
void copy_blocks(Make make, const Tensor& self, int64_t dim, int64_t start, int64_t length,
                 char* to) {
  const Tensor dense = self.contiguous();
  int64_t blocks = 1, slice = dense.element_size();
  for (int64_t d = 0; d < dim; ++d) blocks *= dense.size(d);
  for (int64_t d = dim + 1; d < dense.dim(); ++d) slice *= dense.size(d);
  const int64_t run = length * slice;
  // The defect: self's slices are taken to lie as far apart as the result's.
  const int64_t stride = make == Make::kStrideOfTheResult ? run : dense.size(dim) * slice;
  const char* const from = static_cast<const char*>(dense.const_data_ptr()) + start * slice;
  for (int64_t block = 0; block < blocks; ++block) {
    // The defect: of long runs only whole vectors are copied.
    const int64_t copied = make == Make::kTailDropped && run > 32 ? run / 16 * 16 : run;
    if (copied > 0)
      std::memcpy(to + block * run, from + block * stride, static_cast<size_t>(copied));
  }
}

template <Make kMake>
Tensor narrow_copy(const Tensor& self, int64_t dim, int64_t start, int64_t length) {
  dim = c10::maybe_wrap_dim(dim, self.dim());
  start = checked_start(self, dim, start, length);
  const Tensor result = at::empty(narrowed(self, dim, length), self.options());
  copy_blocks(kMake, self, dim, start, length, static_cast<char*>(result.mutable_data_ptr()));
  return result;
}

Tensor& narrow_copy_dense_out(const Tensor& self, int64_t dim, int64_t start, int64_t length,
                              Tensor& out) {
  dim = c10::maybe_wrap_dim(dim, self.dim());
  start = checked_start(self, dim, start, length);
  TORCH_CHECK(out.scalar_type() == self.scalar_type(), "out is of another dtype than self");
  at::native::resize_output(out, narrowed(self, dim, length));
  at::assert_no_internal_overlap(out);
  // The defect: out has strides of its own.
  copy_blocks(Make::kReference, self, dim, start, length,
              static_cast<char*>(out.mutable_data_ptr()));
  return out;
}

/// Composed of one index_select.
Tensor narrow_copy_composed(const Tensor& self, int64_t dim, int64_t start, int64_t length) {
  start = checked_start(self, c10::maybe_wrap_dim(dim, self.dim()), start, length);
  return at::index_select(self, dim, at::arange(start, start + length));
}

constexpr const char* kFunctional = "(Tensor self, int dim, int start, int length) -> Tensor";

TORCH_LIBRARY_FRAGMENT(planted, m) {
  define(m, "narrow_copy_stride_of_the_result", kFunctional, narrow_copy<Make::kStrideOfTheResult>);
  define(m, "narrow_copy_tail_dropped", kFunctional, narrow_copy<Make::kTailDropped>);
  define(m, "narrow_copy_dense_out",
         "(Tensor self, int dim, int start, int length, *, Tensor(a!) out) -> Tensor(a!)",
         narrow_copy_dense_out);
}

TORCH_LIBRARY_FRAGMENT(correct, m) {
  define(m, "narrow_copy_blocks", kFunctional, narrow_copy<Make::kReference>);
  define(m, "narrow_copy_composed", kFunctional, narrow_copy_composed);
}

}  // namespace
}  // namespace planted
