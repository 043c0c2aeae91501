#include "masked_fill.h"

#include "device.cuh"

namespace planted_cuda {
namespace {

using Make = MaskedFill;
using Call = MaskedFillCall;

/// The elements from `first` up to `end`.
__global__ void fill_elements(int64_t end, Call call, int64_t first) {
  for (int64_t number = first + thread_number(); number < end;
       number += static_cast<int64_t>(gridDim.x) * blockDim.x) {
    const Position position = position_of(call.to, number);
    if (*element_at(call.mask, position) != 0)
      move(element_at(call.to, position), call.value, call.to.item);
  }
}

__global__ void fill_staged_elements(int64_t end, const Call* call) {
  const int64_t number = thread_number();
  if (number >= end) return;
  const Position position = position_of(call->to, number);
  if (*element_at(call->mask, position) != 0)
    move(element_at(call->to, position), call->value, call->to.item);
}

}  // namespace

void launch_staged_masked_fill(const Call* call, int64_t count, cudaStream_t stream) {
  if (count != 0) launch(fill_staged_elements, count, stream, call);
}

void launch_masked_fill(Make make, const Call& call, cudaStream_t stream) {
  const int64_t n = count_of(call.to);
  if (n == 0) return;
  if (make == Make::kErrorLeftBehind) {
    // Whole fours first, then a block for each of the rest. The defect: without a rest this
    // launches a grid of 0 blocks and leaves the error for the next call to find.
    const int64_t fours = n / 4 * 4;
    launch(fill_elements, fours, stream, call, 0);
    fill_elements<<<static_cast<unsigned>(n - fours), 1, 0, stream>>>(n, call, fours);
  } else if (make == Make::kFewBlocks) {
    fill_elements<<<2, 64, 0, stream>>>(n, call, 0);
  } else {
    launch(fill_elements, n, stream, call, 0);
  }
}

}  // namespace planted_cuda
