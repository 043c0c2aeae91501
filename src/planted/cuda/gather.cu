#include "gather.h"

#include <algorithm>

#include "device.cuh"

namespace planted_cuda {
namespace {

using Make = Gather;
using Call = GatherCall;

__device__ void gather_row(const Call& call, int64_t number, int64_t row) {
  Position position = position_of(call.which, number);
  char* to = element_at(call.to, position);
  position.at[call.dim] = row;
  move(to, element_at(call.from, position), call.to.item);
}

__device__ int64_t row_of(const Call& call, int64_t number) {
  return read_index(element_of(call.which, number), call.which.item);
}

template <Make kMake>
__global__ void gather_elements(int64_t n, Call call) {
  const int64_t number = thread_number();
  if (number >= n) return;
  if (kMake == Make::kRank5Assert) CUDA_KERNEL_ASSERT(call.from.rank < 5);
  const int64_t row = row_of(call, number);
  if constexpr (kMake == Make::kLoadsNextIndex) {
    // The defect: prefetches the next index, also after the last one.
    const char* next =
        element_of(call.which, number) + call.which.strides[call.which.rank - 1] * call.which.item;
    [[maybe_unused]] const char ahead = *const_cast<const volatile char*>(next);
  }
  if (kMake != Make::kIndexUnchecked) check_row(row, call.from.sizes[call.dim]);
  gather_row(call, number, row);
}

/// The first warp loads the index for the whole block.
template <Make kMake>
__global__ void gather_staged(int64_t n, Call call) {
  __shared__ int64_t rows[kThreads];
  const int64_t first = static_cast<int64_t>(blockIdx.x) * kThreads;
  rows[threadIdx.x] = 0;
  __syncthreads();
  if (threadIdx.x < 32)
    for (int k = threadIdx.x; k < kThreads && first + k < n; k += 32)
      rows[k] = row_of(call, first + k);
  if (kMake != Make::kMissingSync) __syncthreads();
  if (first + threadIdx.x >= n) return;
  gather_row(call, first + threadIdx.x, check_row(rows[threadIdx.x], call.from.sizes[call.dim]));
}

/// One thread for two elements, from the last to the first, into a contiguous result.
__global__ void gather_pairs(int64_t pairs, Call call, int64_t n) {
  if (thread_number() >= pairs) return;
  const int64_t second = n - 1 - 2 * thread_number(), first = second - 1;
  gather_row(call, second, check_row(row_of(call, second), call.from.sizes[call.dim]));
  // The defect: if the count is odd, the last pair stores an element before the result.
  const int64_t there = first < 0 ? 0 : first;
  Position position = position_of(call.which, there);
  position.at[call.dim] = check_row(row_of(call, there), call.from.sizes[call.dim]);
  move(call.to.data + first * call.to.item, element_at(call.from, position), call.to.item);
}

}  // namespace

void launch_gather(Make make, const Call& call, cudaStream_t stream) {
  const int64_t n = count_of(call.which);
  if (n == 0) return;
  switch (make) {
    case Make::kReference:
    case Make::kColumnMajor: return launch(gather_elements<Make::kReference>, n, stream, call);
    case Make::kIndexUnchecked:
      return launch(gather_elements<Make::kIndexUnchecked>, n, stream, call);
    case Make::kLoadsNextIndex:
      return launch(gather_elements<Make::kLoadsNextIndex>, n, stream, call);
    case Make::kRank5Assert: return launch(gather_elements<Make::kRank5Assert>, n, stream, call);
    case Make::kMissingSync: return launch(gather_staged<Make::kMissingSync>, n, stream, call);
    case Make::kStagedIndex: return launch(gather_staged<Make::kStagedIndex>, n, stream, call);
    case Make::kStoresInFront: return launch(gather_pairs, (n + 1) / 2, stream, call, n);
    case Make::kGridRoundedDown: {
      const auto blocks = static_cast<unsigned>(std::max<int64_t>(n / kThreads, 1));
      gather_elements<Make::kReference><<<blocks, kThreads, 0, stream>>>(n, call);
      return;
    }
    case Make::kThreadsOverLimit: {
      // One block per row, one thread per element. The defect: more than 1024 threads are refused,
      // and the error is dropped.
      const int64_t length = call.which.sizes[call.which.rank - 1];
      gather_elements<Make::kReference>
          <<<static_cast<unsigned>(n / length), static_cast<unsigned>(length), 0, stream>>>(n,
                                                                                            call);
      static_cast<void>(cudaGetLastError());
      return;
    }
  }
}

}  // namespace planted_cuda
