#include "scatter_add.h"

#include <ATen/ops/clone.h>

#include "tensor.h"

namespace planted_cuda {
namespace {

using Make = ScatterAdd;

void check_legal(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src) {
  TORCH_CHECK(self.scalar_type() == src.scalar_type(), "scatter_add: self is ", self.scalar_type(),
              ", src ", src.scalar_type());
  check_device(self, index);
  check_device(self, src);
  if (index.numel() == 0) return;
  check_index_dtype(index);
  check_dtype("scatter_add", self);
  const View to = view_1d(self), which = view_1d(index), from = view_1d(src);
  TORCH_CHECK(which.rank == to.rank && which.rank == from.rank,
              "scatter_add: self, index and src differ in rank");
  for (int d = 0; d < which.rank; ++d)
    TORCH_CHECK((d == dim || which.sizes[d] <= to.sizes[d]) && which.sizes[d] <= from.sizes[d],
                "scatter_add: index of shape ", index.sizes(), " is larger than self of shape ",
                self.sizes(), " apart from dimension ", dim, " or than src of shape ", src.sizes());
}

/// Adds src onto `result`, which holds self.
void add_onto(Make make, const Tensor& result, int64_t dim, const Tensor& index,
              const Tensor& src) {
  if (index.numel() == 0) return;
  const ScatterAddCall call{view_1d(index), view_1d(src), view_1d(result), static_cast<int>(dim),
                            result.scalar_type()};
  launch_scatter_add(make, call, current_stream());
  check_launch();
}

template <Make kMake>
Tensor scatter_add(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src) {
  dim = c10::maybe_wrap_dim(dim, self.dim());
  check_legal(self, dim, index, src);
  const c10::cuda::CUDAGuard guard(self.device());
  Tensor result;
  if (kMake == Make::kEmptyIndexGrid) {
    result = at::empty(self.sizes(), self.options());
    launch_copy_with_blocks_of(index.numel(), view_of(self), view_of(result), current_stream());
  } else {
    result = self.clone(at::MemoryFormat::Contiguous);
  }
  add_onto(kMake, result, dim, index, src);
  return result;
}

template <Make kMake>
Tensor& scatter_add_in_place(Tensor& self, int64_t dim, const Tensor& index, const Tensor& src) {
  dim = c10::maybe_wrap_dim(dim, self.dim());
  check_legal(self, dim, index, src);
  check_written(self, {&index, &src});
  const c10::cuda::CUDAGuard guard(self.device());
  add_onto(kMake, self, dim, index, src);
  return self;
}

constexpr const char* kFunctional = "(Tensor self, int dim, Tensor index, Tensor src) -> Tensor";
constexpr const char* kInPlace =
    "(Tensor(a!) self, int dim, Tensor index, Tensor src) -> Tensor(a!)";

TORCH_LIBRARY_FRAGMENT(planted_cuda, m) {
  define(m, "scatter_add_not_atomic_", kInPlace, scatter_add_in_place<Make::kNotAtomic>);
  define(m, "scatter_add_half_by_word", kFunctional, scatter_add<Make::kHalfByWord>);
  define(m, "scatter_add_bool_as_byte", kFunctional, scatter_add<Make::kBoolAsByte>);
  define(m, "scatter_add_lanes_counted_again", kFunctional, scatter_add<Make::kLanesCountedAgain>);
  define(m, "scatter_add_empty_index_grid", kFunctional, scatter_add<Make::kEmptyIndexGrid>);
  define(m, "scatter_add_reads_written_self_", kInPlace,
         scatter_add_in_place<Make::kReadsWrittenSelf>);
}

TORCH_LIBRARY_FRAGMENT(correct_cuda, m) {
  define(m, "scatter_add_atomic", kFunctional, scatter_add<Make::kReference>);
  define(m, "scatter_add_atomic_", kInPlace, scatter_add_in_place<Make::kReference>);
  define(m, "scatter_add_reverse_order", kFunctional, scatter_add<Make::kReverseOrder>);
}

}  // namespace
}  // namespace planted_cuda
