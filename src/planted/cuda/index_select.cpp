#include "index_select.h"

#include "side_stream.h"
#include "tensor.h"

namespace planted_cuda {
namespace {

using Make = IndexSelect;

template <Make kMake>
Tensor index_select(const Tensor& self, int64_t dim, const Tensor& index) {
  dim = c10::maybe_wrap_dim(dim, self.dim());
  TORCH_CHECK_INDEX(index.dim() <= 1, "index_select: the index has ", index.dim(), " dimensions");
  TORCH_CHECK(self.dim() > 0 || index.numel() == 1, "index_select: a 0-dim self takes one index");
  TORCH_CHECK(kMake != Make::kContiguousOffset32 || self.is_contiguous(),
              "index_select: self must be contiguous");
  check_index_dtype(index);
  check_device(self, index);
  c10::cuda::OptionalCUDAGuard guard;
  if (kMake != Make::kNoDeviceGuard) guard.set_device(self.device());

  at::DimVector shape(self.sizes());
  if (!shape.empty()) shape[dim] = index.numel();
  const Tensor result = at::empty(shape, self.options());
  IndexSelectCall call{view_1d(self), view_1d(index), view_1d(result), static_cast<int>(dim)};
  // The defect: right only if self is contiguous. A slice of heads has the strides of all heads.
  if (kMake == Make::kStrideAsSize) {
    call.from.strides[dim] = 1;
    for (int d = call.from.rank; --d > dim;) call.from.strides[dim] *= call.from.sizes[d];
  }
  const auto current = c10::cuda::getCurrentCUDAStream();
  if (kMake == Make::kSideStream) {
    const auto side = side_stream(self.device());
    wait_for(side, current);
    launch_index_select(kMake, call, side);
    wait_for(current, side);
  } else if ((kMake == Make::kNobodyWaits || kMake == Make::kNobodyWaitsForOwn) &&
             result.numel() > 64) {
    // The defect: the current stream never waits for the side stream.
    const auto side = kMake == Make::kNobodyWaits ? side_stream(self.device())
                                                  : stream_without_flags(self.device());
    wait_for(side, current);
    launch_index_select(kMake, call, side);
    for (const Tensor& tensor : {self, index, result}) tensor.record_stream(side.unwrap());
  } else {
    launch_index_select(kMake, call, kMake == Make::kDefaultStream ? nullptr : current.stream());
  }
  check_launch();
  return result;
}

constexpr const char* kFunctional = "(Tensor self, int dim, Tensor index) -> Tensor";

TORCH_LIBRARY_FRAGMENT(planted_cuda, m) {
  define(m, "index_select_no_device_guard", kFunctional, index_select<Make::kNoDeviceGuard>);
  define(m, "index_select_default_stream", kFunctional, index_select<Make::kDefaultStream>);
  define(m, "index_select_stride_as_size", kFunctional, index_select<Make::kStrideAsSize>);
  define(m, "index_select_offset_32", kFunctional, index_select<Make::kOffset32>);
  define(m, "index_select_offset_32_where_strides_fit", kFunctional,
         index_select<Make::kOffset32WhereStridesFit>);
  define(m, "index_select_contiguous_offset_32", kFunctional,
         index_select<Make::kContiguousOffset32>);
  define(m, "index_select_misaligned_vector", kFunctional, index_select<Make::kMisalignedVector>);
  define(m, "index_select_address_rounded_down", kFunctional,
         index_select<Make::kAddressRoundedDown>);
  define(m, "index_select_unrolled_too_far", kFunctional, index_select<Make::kUnrolledTooFar>);
  define(m, "index_select_shared_over_48k", kFunctional, index_select<Make::kSharedOver48K>);
  define(m, "index_select_read_before_written", kFunctional,
         index_select<Make::kReadBeforeWritten>);
  define(m, "index_select_nobody_waits", kFunctional, index_select<Make::kNobodyWaits>);
  define(m, "index_select_nobody_waits_for_own_stream", kFunctional,
         index_select<Make::kNobodyWaitsForOwn>);
}

TORCH_LIBRARY_FRAGMENT(correct_cuda, m) {
  define(m, "index_select_strided", kFunctional, index_select<Make::kReference>);
  define(m, "index_select_aligned_stores", kFunctional, index_select<Make::kAlignedStores>);
  define(m, "index_select_side_stream", kFunctional, index_select<Make::kSideStream>);
}

}  // namespace
}  // namespace planted_cuda
