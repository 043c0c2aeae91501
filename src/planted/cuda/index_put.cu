#include "index_put.h"

#include <algorithm>

#include "add.cuh"
#include "device.cuh"

namespace planted_cuda {
namespace {

using Make = IndexPut;
using Call = IndexPutCall;

__device__ char* target_of(const Call& call, const Position& position) {
  Position target;
  int around = 0;
  for (int d = 0; d < call.to.rank; ++d) {
    if (call.rows[d].data != nullptr) {
      const char* row = broadcast_at(call.rows[d], position, call.block + call.block_rank);
      target.at[d] = wrap_row(*reinterpret_cast<const int64_t*>(row), call.to.sizes[d]);
    } else {
      target.at[d] = position.at[around < call.block ? around : around + call.block_rank];
      ++around;
    }
  }
  return element_at(call.to, target);
}

template <Make kMake>
__global__ void put_elements(int64_t n, Call call) {
  if (thread_number() >= n) return;
  const Position position = position_of(call.shape, thread_number());
  char* to = target_of(call, position);
  const char* from = element_at(call.from, position);
  if (!call.accumulate) {
    move(to, from, call.to.item);
  } else {
    add_element<kMake != Make::kNotAtomic>(to, from, call.dtype);
  }
}

/// One block per row of the values, 32 at a time. The defect: a longer row loses its remainder.
__global__ void put_tiles(Call call, int64_t length) {
  const int64_t row = blockIdx.x;
  const int64_t end = length < 32 ? length : length / 32 * 32;
  for (int64_t column = threadIdx.x; column < end; column += 32) {
    const Position position = position_of(call.shape, row * length + column);
    char* to = target_of(call, position);
    const char* from = element_at(call.from, position);
    if (call.accumulate) {
      add_element<true>(to, from, call.dtype);
    } else {
      move(to, from, call.to.item);
    }
  }
}

__device__ unsigned long long* winner_of(const Call& call, int64_t* winners, const char* to) {
  return reinterpret_cast<unsigned long long*>(winners + (to - call.to.data) / call.to.item);
}

/// Finds the least number of the values for each element. `winners` must hold -1, the greatest
/// unsigned number.
__global__ void find_winners(int64_t n, Call call, int64_t* winners) {
  if (thread_number() >= n) return;
  const char* to = target_of(call, position_of(call.shape, thread_number()));
  atomicMin(winner_of(call, winners, to), static_cast<unsigned long long>(thread_number()));
}

__global__ void put_winners(int64_t n, Call call, int64_t* winners) {
  if (thread_number() >= n) return;
  const Position position = position_of(call.shape, thread_number());
  char* to = target_of(call, position);
  if (*winner_of(call, winners, to) == static_cast<unsigned long long>(thread_number()))
    move(to, element_at(call.from, position), call.to.item);
}

}  // namespace

void launch_index_put(Make make, const Call& call, int64_t* winners, cudaStream_t stream) {
  const int64_t n = count_of(call.shape);
  if (n == 0) return;
  switch (make) {
    case Make::kReference:
    case Make::kValuesByIndexShape: return launch(put_elements<Make::kReference>, n, stream, call);
    case Make::kNotAtomic: return launch(put_elements<Make::kNotAtomic>, n, stream, call);
    case Make::kTailDropped: {
      const int64_t length = call.shape.rank == 0 ? 1 : call.shape.sizes[call.shape.rank - 1];
      put_tiles<<<static_cast<unsigned>(n / length), 32, 0, stream>>>(call, length);
      return;
    }
    case Make::kFirstWins:
      if (call.accumulate) return launch(put_elements<Make::kReference>, n, stream, call);
      launch(find_winners, n, stream, call, winners);
      return launch(put_winners, n, stream, call, winners);
  }
}

}  // namespace planted_cuda
