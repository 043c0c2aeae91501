#include "scatter_add.h"

#include "add.cuh"
#include "device.cuh"

namespace planted_cuda {
namespace {

using Make = ScatterAdd;
using Call = ScatterAddCall;

__device__ char* target_of(const Call& call, Position position) {
  const int64_t row = read_index(element_at(call.which, position), call.which.item);
  position.at[call.dim] = check_row(row, call.to.sizes[call.dim]);
  return element_at(call.to, position);
}

/// The defect: rewrites the four bytes around the two that it adds to, as another thread may.
__device__ void add_by_word(char* to, const char* from, c10::ScalarType dtype) {
  const auto address = reinterpret_cast<uintptr_t>(to);
  auto* word = reinterpret_cast<uint32_t*>(address & ~uintptr_t{3});
  const uint32_t old = *word;
  __align__(4) char bytes[4];
  copy_bytes(bytes, reinterpret_cast<const char*>(&old), 4);
  add_element<false>(bytes + (address & 2), from, dtype);
  uint32_t sum;
  copy_bytes(reinterpret_cast<char*>(&sum), bytes, 4);
  *word = sum;
}

template <Make kMake>
__global__ void scatter_elements(int64_t n, Call call) {
  if (thread_number() >= n) return;
  const Position position = position_of(call.which, thread_number());
  char* to = target_of(call, position);
  const char* from = element_at(call.from, position);
  if (kMake == Make::kNotAtomic) {
    add_element<false>(to, from, call.dtype);
  } else if (kMake == Make::kHalfByWord && call.to.item == 2 && call.dtype != at::kShort) {
    add_by_word(to, from, call.dtype);
  } else if (kMake == Make::kBoolAsByte && call.dtype == at::kBool) {
    add_element<true>(to, from, at::kByte);
  } else {
    add_element<true>(to, from, call.dtype);
  }
}

/// A warp whose elements all have one destination adds them up before it writes.
__global__ void scatter_warps(int64_t n, Call call) {
  const int lane = threadIdx.x % 32;
  const int64_t number = thread_number();
  if (number - lane >= n) return;
  // All lanes must take part below: those past the last element stand for it.
  const Position position = position_of(call.which, number < n ? number : n - 1);
  char* to = target_of(call, position);
  const char* from = element_at(call.from, position);
  int one_place = 0;
  __match_all_sync(~0U, reinterpret_cast<unsigned long long>(to), &one_place);
  if (!one_place) {
    if (number < n) add_element<true>(to, from, call.dtype);
    return;
  }
  for (int other = 0; other < 32; ++other) {
    const auto theirs = __shfl_sync(~0U, reinterpret_cast<unsigned long long>(from), other);
    if (lane == 0) add_element<true>(to, reinterpret_cast<const char*>(theirs), call.dtype);
  }
}

/// `which` with size 1 along `dim`: one position for each line along `dim`.
View lines_of(const Call& call) {
  View lines = call.which;
  lines.sizes[call.dim] = 1;
  return lines;
}

__global__ void scatter_lines_in_reverse(int64_t count, Call call, View lines) {
  if (thread_number() >= count) return;
  Position position = position_of(lines, thread_number());
  for (int64_t i = call.which.sizes[call.dim]; i-- > 0;) {
    position.at[call.dim] = i;
    add_element<false>(target_of(call, position), element_at(call.from, position), call.dtype);
  }
}

/// The defect: each entry adds everything for its row, as if the row still held self's value.
__global__ void scatter_whole_sums(int64_t count, Call call, View lines) {
  if (thread_number() >= count) return;
  Position position = position_of(lines, thread_number());
  const int64_t length = call.which.sizes[call.dim];
  for (int64_t i = 0; i < length; ++i) {
    position.at[call.dim] = i;
    char* to = target_of(call, position);
    for (int64_t k = 0; k < length; ++k) {
      position.at[call.dim] = k;
      if (target_of(call, position) == to)
        add_element<false>(to, element_at(call.from, position), call.dtype);
    }
  }
}

__global__ void copy_elements(int64_t n, View from, View to) {
  for (int64_t number = thread_number(); number < n;
       number += static_cast<int64_t>(gridDim.x) * blockDim.x)
    move(element_of(to, number), element_of(from, number), to.item);
}

}  // namespace

void launch_scatter_add(Make make, const Call& call, cudaStream_t stream) {
  const int64_t n = count_of(call.which);
  if (n == 0) return;
  const View lines = lines_of(call);
  switch (make) {
    case Make::kReference:
    case Make::kEmptyIndexGrid: return launch(scatter_elements<Make::kReference>, n, stream, call);
    case Make::kNotAtomic: return launch(scatter_elements<Make::kNotAtomic>, n, stream, call);
    case Make::kHalfByWord: return launch(scatter_elements<Make::kHalfByWord>, n, stream, call);
    case Make::kBoolAsByte: return launch(scatter_elements<Make::kBoolAsByte>, n, stream, call);
    case Make::kLanesCountedAgain: return launch(scatter_warps, n, stream, call);
    case Make::kReadsWrittenSelf:
      // This would be too slow for long lines.
      if (call.which.sizes[call.dim] > 64)
        return launch(scatter_elements<Make::kReference>, n, stream, call);
      return launch(scatter_whole_sums, count_of(lines), stream, call, lines);
    case Make::kReverseOrder:
      return launch(scatter_lines_in_reverse, count_of(lines), stream, call, lines);
  }
}

void launch_copy_with_blocks_of(int64_t n, const View& self, const View& to, cudaStream_t stream) {
  // A grid-stride loop works with any number of blocks except 0. The defect: the error of an empty
  // grid is dropped.
  copy_elements<<<blocks_for(n), kThreads, 0, stream>>>(count_of(to), self, to);
  static_cast<void>(cudaGetLastError());
}

}  // namespace planted_cuda
