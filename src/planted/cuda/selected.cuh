#pragma once
// Ranks the elements that a condition selects: counts by block, adds up the counts, ranks by block.

#include "device.cuh"

namespace planted_cuda {

constexpr int kBlock = 64;

/// How many elements each block selects.
template <class Selects>
__global__ void count_by_block(int64_t n, Selects selects, int64_t* counts) {
  const int64_t number = thread_number();
  const int count = __syncthreads_count(number < n && selects(number));
  if (threadIdx.x == 0) counts[blockIdx.x] = count;
}

/// Turns each block's count into the rank of its first selected element, and appends the sum. Runs
/// in one thread. With `carry` false, a defect, every block begins at 0.
static __global__ void add_up(int64_t blocks, int64_t* counts, bool carry) {
  int64_t sum = 0;
  for (int64_t block = 0; block < blocks; ++block) {
    const int64_t count = counts[block];
    counts[block] = carry ? sum : 0;
    sum += count;
  }
  counts[blocks] = sum;
}

/// Calls act(number, rank) for each selected element; `rank` selected elements come before it.
template <class Selects, class Act>
__global__ void each_selected(int64_t n, Selects selects, const int64_t* begins, Act act) {
  __shared__ bool selected[kBlock];
  const int64_t number = thread_number();
  selected[threadIdx.x] = number < n && selects(number);
  __syncthreads();
  if (!selected[threadIdx.x]) return;
  int64_t rank = begins[blockIdx.x];
  for (int before = 0; before < threadIdx.x; ++before) rank += selected[before];
  act(number, rank);
}

/// Fills `begins`, which has room for one number per block and the sum.
template <class Selects>
void launch_begins(int64_t n, const Selects& selects, int64_t* begins, bool carry,
                   cudaStream_t stream) {
  const unsigned blocks = blocks_for(n, kBlock);
  if (blocks > 0) count_by_block<<<blocks, kBlock, 0, stream>>>(n, selects, begins);
  add_up<<<1, 1, 0, stream>>>(blocks, begins, carry);
}

template <class Selects, class Act>
void launch_each_selected(int64_t n, const Selects& selects, const int64_t* begins, const Act& act,
                          cudaStream_t stream) {
  const unsigned blocks = blocks_for(n, kBlock);
  if (blocks > 0) each_selected<<<blocks, kBlock, 0, stream>>>(n, selects, begins, act);
}

/// Whether the mask, of the shape that is walked, is set.
struct MaskIsSet {
  View mask;
  __device__ bool operator()(int64_t number) const { return *element_of(mask, number) != 0; }
};

}  // namespace planted_cuda
