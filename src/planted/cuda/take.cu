#include "take.h"

#include <algorithm>

#include "device.cuh"

namespace planted_cuda {
namespace {

using Make = Take;
using Call = TakeCall;

constexpr unsigned kMostBlocks = 1024;

__device__ void take_element(const Call& call, int64_t number, int64_t row) {
  move(element_of(call.to, number), element_of(call.from, row), call.to.item);
}

__device__ int64_t row_of(const Call& call, int64_t number) {
  return read_index(element_of(call.which, number), call.which.item);
}

template <Make kMake>
__global__ void take_elements(int64_t n, Call call, int64_t size) {
  const int64_t number = thread_number();
  if (number >= n) return;
  const int64_t row = row_of(call, number);
  if constexpr (kMake == Make::kNegativeNotWrapped) {
    CUDA_KERNEL_ASSERT(row >= -size && row < size);
    // The defect: a negative row counts elements before self's first one.
    const char* from = row < 0 ? call.from.data + row * call.from.item : element_of(call.from, row);
    move(element_of(call.to, number), from, call.to.item);
  } else {
    take_element(call, number, wrap_row(row, size));
  }
}

__global__ void take_or_trap(int64_t n, Call call, int64_t size) {
  for (int64_t number = thread_number(); number < n;
       number += static_cast<int64_t>(gridDim.x) * blockDim.x) {
    const int64_t row = row_of(call, number);
    if (row < -size || row >= size) __trap();
    take_element(call, number, row < 0 ? row + size : row);
  }
}

}  // namespace

void launch_take(Make make, const Call& call, cudaStream_t stream) {
  const int64_t n = count_of(call.which), size = count_of(call.from);
  if (n == 0 && make != Make::kGridOfNothing) return;
  switch (make) {
    case Make::kReference:
    case Make::kOffsetIgnored:
    case Make::kWorkspaceLeaked:
    case Make::kSmallLeak:
      return launch(take_elements<Make::kReference>, n, stream, call, size);
    case Make::kNegativeNotWrapped:
      return launch(take_elements<Make::kNegativeNotWrapped>, n, stream, call, size);
    case Make::kGridCapped:
      take_elements<Make::kReference>
          <<<std::min(blocks_for(n), kMostBlocks), kThreads, 0, stream>>>(n, call, size);
      return;
    case Make::kGridOfNothing:
      take_elements<Make::kReference><<<blocks_for(n), kThreads, 0, stream>>>(n, call, size);
      return;
    case Make::kTraps: take_or_trap<<<2, 96, 0, stream>>>(n, call, size); return;
  }
}

}  // namespace planted_cuda
