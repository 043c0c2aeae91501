#include "masked_scatter.h"

#include <ATen/ExpandUtils.h>
#include <ATen/ops/clone.h>

#include "selected.h"
#include "tensor.h"

namespace planted_cuda {
namespace {

using Make = MaskedScatter;

template <Make kMake>
Tensor masked_scatter(const Tensor& self, const Tensor& mask, const Tensor& source) {
  TORCH_CHECK(mask.scalar_type() == at::kBool, "expected a bool mask, got ", mask.scalar_type());
  TORCH_CHECK(self.scalar_type() == source.scalar_type(), "masked_scatter: self is ",
              self.scalar_type(), ", source ", source.scalar_type());
  check_device(self, mask);
  check_device(self, source);
  const at::DimVector shape = at::infer_size_dimvector(self.sizes(), mask.sizes());
  const c10::cuda::CUDAGuard guard(self.device());
  const Tensor result = self.expand(shape).clone(at::MemoryFormat::Contiguous);
  const Tensor begins = allocate_begins(result.numel(), self);
  const MaskedScatterCall call{view_of(result), view_of(mask.expand(shape)), view_of(source),
                               begins.mutable_data_ptr<int64_t>()};
  launch_count(call, current_stream());
  check_launch();
  const int64_t sum = read_sum(begins, result.numel());
  TORCH_CHECK(sum <= source.numel(), "masked_scatter: ", sum, " elements are set, source of ",
              source.numel());
  launch_masked_scatter(kMake, call, current_stream());
  check_launch();
  return result;
}

constexpr const char* kFunctional = "(Tensor self, Tensor mask, Tensor source) -> Tensor";

TORCH_LIBRARY_FRAGMENT(planted_cuda, m) {
  define(m, "masked_scatter_rank_in_byte", kFunctional, masked_scatter<Make::kRankInByte>);
}

TORCH_LIBRARY_FRAGMENT(correct_cuda, m) {
  define(m, "masked_scatter_by_block", kFunctional, masked_scatter<Make::kReference>);
}

}  // namespace
}  // namespace planted_cuda
