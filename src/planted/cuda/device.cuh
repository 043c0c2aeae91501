#pragma once
// Device functions and launches that the kernels share.

#include <c10/macros/Macros.h>

#include "view.h"

namespace planted_cuda {

constexpr int kThreads = 256;  ///< per block, unless a launch says otherwise

/// The position of the element with this row-major number.
__device__ inline Position position_of(const View& shape, int64_t number) {
  Position position;
  for (int d = shape.rank; d-- > 0; number /= shape.sizes[d])
    position.at[d] = number % shape.sizes[d];
  return position;
}

__device__ inline char* element_at(const View& view, const Position& position) {
  int64_t offset = 0;
  for (int d = 0; d < view.rank; ++d) offset += position.at[d] * view.strides[d];
  return view.data + offset * view.item;
}

/// As element_at(), with sizes of 1 broadcast and the last dimension aligned with
/// `position.at[end - 1]`.
__device__ inline char* broadcast_at(const View& view, const Position& position, int end) {
  int64_t offset = 0;
  for (int d = 0; d < view.rank; ++d)
    if (view.sizes[d] != 1) offset += position.at[end - view.rank + d] * view.strides[d];
  return view.data + offset * view.item;
}

__device__ inline char* element_of(const View& view, int64_t number) {
  return element_at(view, position_of(view, number));
}

/// Moves one element. Those of 16 bytes are aligned to 8 at least.
__device__ inline void move(char* to, const char* from, int item) {
  switch (item) {
    case 1: *to = *from; break;
    case 2: *reinterpret_cast<uint16_t*>(to) = *reinterpret_cast<const uint16_t*>(from); break;
    case 4: *reinterpret_cast<uint32_t*>(to) = *reinterpret_cast<const uint32_t*>(from); break;
    case 8: *reinterpret_cast<uint64_t*>(to) = *reinterpret_cast<const uint64_t*>(from); break;
    case 16: {
      const auto* const halves = reinterpret_cast<const unsigned long long*>(from);
      const ulonglong2 both{halves[0], halves[1]};
      // In one store if possible, so that one of several writes to an element wins as a whole.
      if (reinterpret_cast<uintptr_t>(to) % sizeof both == 0) {
        *reinterpret_cast<ulonglong2*>(to) = both;
      } else {
        reinterpret_cast<unsigned long long*>(to)[0] = both.x;
        reinterpret_cast<unsigned long long*>(to)[1] = both.y;
      }
      break;
    }
  }
}

/// Copies byte by byte, for a buffer that is read as another type than move() writes.
__device__ inline void copy_bytes(char* to, const char* from, int count) {
  for (int i = 0; i < count; ++i) to[i] = from[i];
}

/// An index of 4 bytes is an int32, one of 8 bytes an int64.
__device__ inline int64_t read_index(const char* from, int item) {
  return item == 4 ? *reinterpret_cast<const int32_t*>(from)
                   : *reinterpret_cast<const int64_t*>(from);
}

/// As in ATen, an index out of range is a device-side assertion.
__device__ inline int64_t check_row(int64_t row, int64_t size) {
  CUDA_KERNEL_ASSERT(row >= 0 && row < size);
  return row;
}

/// As check_row(), but a negative index counts from the end.
__device__ inline int64_t wrap_row(int64_t row, int64_t size) {
  return check_row(row < 0 ? row + size : row, size);
}

__device__ inline int64_t thread_number() {
  return static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}

/// The number of blocks of `threads` threads that n elements need.
inline unsigned blocks_for(int64_t n, int threads = kThreads) {
  return static_cast<unsigned>((n + threads - 1) / threads);
}

/// Launches kernel(n, arguments...) with one thread per element; nothing if n is 0, since a grid of
/// 0 blocks is an error. The caller checks the launch.
template <class... Parameters, class... Arguments>
void launch(void (*kernel)(int64_t, Parameters...), int64_t n, cudaStream_t stream,
            const Arguments&... arguments) {
  if (n > 0) kernel<<<blocks_for(n), kThreads, 0, stream>>>(n, arguments...);
}

}  // namespace planted_cuda
