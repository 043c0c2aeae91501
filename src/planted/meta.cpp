// Kernels whose results are right, and whose meta functions, which compute shape and dtype without
// data, are not.

#include <ATen/ops/empty.h>
#include <ATen/ops/empty_strided.h>
#include <ATen/ops/gather.h>

#include "strided.h"

namespace planted {
namespace {

Tensor gather(const Tensor& self, int64_t dim, const Tensor& index) {
  return at::gather(self, dim, index);
}

enum class Make { kReference, kShapeOfSelf, kDtypeOfIndex, kRankOfSelf, kOnCpu, kStridesOfSelf };

template <Make kMake>
Tensor gather_meta(const Tensor& self, int64_t, const Tensor& index) {
  const bool by_self = kMake == Make::kShapeOfSelf && self.dim() > 2 && index.numel() > 0;
  auto shape = (by_self ? self : index).sizes().vec();
  // A self without dimensions is taken to have one, and index with it.
  if (kMake == Make::kRankOfSelf && self.dim() == 0 && shape.empty()) shape.push_back(1);
  auto options = (kMake == Make::kDtypeOfIndex ? index : self).options();
  if (kMake == Make::kOnCpu) options = options.device(at::kCPU);
  if (kMake == Make::kStridesOfSelf && self.sizes() == index.sizes())
    return at::empty_strided(shape, self.strides(), options);
  return at::empty(shape, options);
}

/// Registers a kernel that calls ATen's own, and its meta function.
template <class Kernel>
void define_with_meta(torch::Library& library, const char* name, Kernel* meta) {
  library.def((std::string(name) + "(Tensor self, int dim, Tensor index) -> Tensor").c_str());
  library.impl(name, torch::dispatch(c10::DispatchKey::CPU, gather));
  library.impl(name, torch::dispatch(c10::DispatchKey::Meta, meta));
}

TORCH_LIBRARY_FRAGMENT(planted, m) {
  define_with_meta(m, "gather_meta_shape_of_self", gather_meta<Make::kShapeOfSelf>);
  define_with_meta(m, "gather_meta_dtype_of_index", gather_meta<Make::kDtypeOfIndex>);
  define_with_meta(m, "gather_meta_rank_of_self", gather_meta<Make::kRankOfSelf>);
  define_with_meta(m, "gather_meta_on_cpu", gather_meta<Make::kOnCpu>);
  define_with_meta(m, "gather_meta_strides_of_self", gather_meta<Make::kStridesOfSelf>);
}

TORCH_LIBRARY_FRAGMENT(correct, m) {
  define_with_meta(m, "gather_with_meta", gather_meta<Make::kReference>);
}

}  // namespace
}  // namespace planted
