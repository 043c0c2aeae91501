#include "index_add.h"

#include "add.cuh"
#include "device.cuh"

namespace planted_cuda {
namespace {

using Make = IndexAdd;
using Call = IndexAddCall;

__device__ int64_t row_of(const Call& call, int64_t entry) {
  return read_index(call.which.data + entry * call.which.strides[0] * call.which.item,
                    call.which.item);
}

__device__ char* target_of(const Call& call, Position position) {
  int64_t& row = position.at[call.dim];
  row = check_row(row_of(call, row), call.to.sizes[call.dim]);
  return element_at(call.to, position);
}

__global__ void add_elements(int64_t n, Call call) {
  if (thread_number() >= n) return;
  const Position position = position_of(call.from, thread_number());
  add_element<true>(target_of(call, position), element_at(call.from, position), call.dtype);
}

/// A block whose elements all have one destination adds them up before it writes.
__global__ void add_blocks(int64_t n, Call call) {
  const int64_t number = thread_number(), first = number - threadIdx.x;
  char* place = target_of(call, position_of(call.from, first));
  char* own = number < n ? target_of(call, position_of(call.from, number)) : place;
  if (!__syncthreads_and(own == place)) {
    if (number < n) add_element<true>(own, element_of(call.from, number), call.dtype);
    return;
  }
  if (threadIdx.x > 0) return;
  // The defect: another block may write there before the sum is stored.
  __align__(16) char sum[16];
  copy_bytes(sum, place, call.to.item);
  for (int64_t k = first; k < first + kThreads && k < n; ++k)
    add_element<false>(sum, element_of(call.from, k), call.dtype);
  copy_bytes(place, sum, call.to.item);
}

/// Searches the index, for each element of self, for the elements to add to it.
__global__ void add_by_target(int64_t n, Call call) {
  if (thread_number() >= n) return;
  Position position = position_of(call.to, thread_number());
  const int64_t row = position.at[call.dim];
  char* to = element_at(call.to, position);
  // The defect: one entry too many is read, and used if it holds the row.
  for (int64_t entry = 0; entry <= call.which.sizes[0]; ++entry) {
    const int64_t wanted = row_of(call, entry);
    if (entry < call.which.sizes[0]) check_row(wanted, call.to.sizes[call.dim]);
    if (wanted != row) continue;
    position.at[call.dim] = entry;
    add_element<false>(to, element_at(call.from, position), call.dtype);
  }
}

}  // namespace

void launch_index_add(Make make, const Call& call, cudaStream_t stream) {
  const int64_t n = count_of(call.from);
  if (n == 0) return;
  switch (make) {
    case Make::kReference:
    case Make::kScalesSource: return launch(add_elements, n, stream, call);
    case Make::kSumsOfBlocks: return launch(add_blocks, n, stream, call);
    case Make::kReadsPastIndex: return launch(add_by_target, count_of(call.to), stream, call);
  }
}

}  // namespace planted_cuda
