#include "sort.h"

#include <optional>
#include <tuple>

#include "tensor.h"

namespace planted_cuda {
namespace {

using Make = Sort;
using Results = std::tuple<Tensor, Tensor>;

void check_ordered(const Tensor& self) {
  check_dtype("sort", self);
  TORCH_CHECK_NOT_IMPLEMENTED(!self.is_complex(), "sort: complex numbers have no order");
}

void sort_into(Make make, const Tensor& self, int64_t dim, bool descending, const Tensor& values,
               const Tensor& indices) {
  const SortCall call{view_1d(self),    view_1d(values),
                      view_1d(indices), static_cast<int>(c10::maybe_wrap_dim(dim, self.dim())),
                      descending,       self.scalar_type()};
  launch_sort(make, call, current_stream());
  check_launch();
}

template <Make kMake>
Results sort(const Tensor& self, int64_t dim, bool descending) {
  check_ordered(self);
  const c10::cuda::CUDAGuard guard(self.device());
  const Tensor values = at::empty(self.sizes(), self.options()),
               indices = at::empty(self.sizes(), self.options().dtype(at::kLong));
  sort_into(kMake, self, dim, descending, values, indices);
  return {values, indices};
}

template <Make kMake>
Results stable_sort(const Tensor& self, std::optional<bool> /*stable*/, int64_t dim,
                    bool descending) {
  return sort<kMake>(self, dim, descending);
}

constexpr const char* kFunctional =
    "(Tensor self, int dim=-1, bool descending=False) -> (Tensor, Tensor)";
constexpr const char* kStable =
    "(Tensor self, *, bool? stable, int dim=-1, bool descending=False) -> (Tensor, Tensor)";

TORCH_LIBRARY_FRAGMENT(planted_cuda, m) {
  define(m, "sort_tiles_not_merged", kFunctional, sort<Make::kTilesNotMerged>);
  define(m, "sort_equals_in_one_place", kFunctional, sort<Make::kEqualsInOnePlace>);
  // The defect: equal elements never keep their order.
  define(m, "sort_never_stable", kStable, stable_sort<Make::kLastOfEqualsFirst>);
}

TORCH_LIBRARY_FRAGMENT(correct_cuda, m) {
  define(m, "sort_by_rank", kStable, stable_sort<Make::kReference>);
  define(m, "sort_last_of_equals_first", kFunctional, sort<Make::kLastOfEqualsFirst>);
}

}  // namespace
}  // namespace planted_cuda
