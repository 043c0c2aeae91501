#include "masked_select.h"

#include "selected.cuh"

namespace planted_cuda {
namespace {

/// All in one kernel: each block waits for the one before it to publish where it ends.
__global__ void count_in_a_chain(int64_t n, MaskIsSet selects, int64_t* begins,
                                 unsigned long long* ends) {
  const int64_t number = thread_number();
  const int count = __syncthreads_count(number < n && selects(number));
  if (threadIdx.x > 0) return;
  unsigned long long begin = 0;
  // The defect: 0 stands for "not yet", but is also published as long as nothing is selected.
  if (blockIdx.x > 0)
    while ((begin = atomicAdd(&ends[blockIdx.x - 1], 0ULL)) == 0) {
    }
  begins[blockIdx.x] = static_cast<int64_t>(begin);
  if (blockIdx.x == gridDim.x - 1) begins[gridDim.x] = static_cast<int64_t>(begin) + count;
  __threadfence();
  atomicExch(&ends[blockIdx.x], begin + count);
}

struct MoveSelected {
  View from;
  char* to;
  __device__ void operator()(int64_t number, int64_t rank) const {
    move(to + rank * from.item, element_of(from, number), from.item);
  }
};

}  // namespace

void launch_count(MaskedSelect make, const MaskedSelectCall& call, cudaStream_t stream) {
  const int64_t n = count_of(call.mask);
  const unsigned blocks = blocks_for(n, kBlock);
  if (make == MaskedSelect::kWaitsForNothing && blocks > 1) {
    // The ends lie after the begins.
    auto* ends = reinterpret_cast<unsigned long long*>(call.begins + blocks + 1);
    cudaMemsetAsync(ends, 0, blocks * sizeof *ends, stream);
    count_in_a_chain<<<blocks, kBlock, 0, stream>>>(n, MaskIsSet{call.mask}, call.begins, ends);
    return;
  }
  launch_begins(n, MaskIsSet{call.mask}, call.begins, make != MaskedSelect::kCarryForgotten,
                stream);
}

void launch_masked_select(const MaskedSelectCall& call, char* to, cudaStream_t stream) {
  launch_each_selected(count_of(call.mask), MaskIsSet{call.mask}, call.begins,
                       MoveSelected{call.from, to}, stream);
}

}  // namespace planted_cuda
