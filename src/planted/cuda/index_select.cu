#include "index_select.h"

#include "device.cuh"

namespace planted_cuda {
namespace {

using Make = IndexSelect;
using Call = IndexSelectCall;

/// The place in self of an element of the result.
__device__ Position source_position(const Call& call, int64_t number) {
  Position position = position_of(call.to, number);
  int64_t& row = position.at[call.dim];
  row =
      read_index(call.which.data + row * call.which.strides[0] * call.which.item, call.which.item);
  check_row(row, call.from.sizes[call.dim]);
  return position;
}

__device__ const char* source_of(const Call& call, int64_t number) {
  return element_at(call.from, source_position(call, number));
}

__global__ void select_elements(int64_t n, Call call, bool offset_32) {
  const int64_t number = thread_number();
  if (number >= n) return;
  const Position position = source_position(call, number);
  const char* from = element_at(call.from, position);
  if (offset_32) {
    int offset = 0;
    for (int d = 0; d < call.from.rank; ++d)
      offset += static_cast<int>(position.at[d]) * static_cast<int>(call.from.strides[d]);
    from = call.from.data + static_cast<int64_t>(offset) * call.from.item;
  }
  move(call.to.data + number * call.to.item, from, call.to.item);
}

/// Stores the result 16 bytes at a time.
template <Make kMake>
__global__ void select_vectors(int64_t vectors, Call call) {
  const int64_t vector = thread_number();
  if (vector >= vectors) return;
  const int item = call.to.item, per_vector = 16 / item;
  auto* to = reinterpret_cast<uint4*>(call.to.data + vector * 16);
  if constexpr (kMake == Make::kMisalignedVector) {
    // The defect: a row is a multiple of 16 bytes long, but self need not be aligned to 16.
    *to = *reinterpret_cast<const uint4*>(source_of(call, vector * per_vector));
  } else if constexpr (kMake == Make::kAddressRoundedDown) {
    const auto address = reinterpret_cast<uintptr_t>(source_of(call, vector * per_vector));
    *to = *reinterpret_cast<const uint4*>(address & ~uintptr_t{15});
  } else {
    __align__(16) char gathered[16];
    for (int i = 0; i < per_vector; ++i)
      copy_bytes(gathered + i * item, source_of(call, vector * per_vector + i), item);
    *to = *reinterpret_cast<const uint4*>(gathered);
  }
}

/// Selects the elements after the last whole vector.
__global__ void select_rest(int64_t n, Call call, int64_t first) {
  const int64_t number = thread_number();
  if (number >= n) return;
  move(call.to.data + (first + number) * call.to.item, source_of(call, first + number),
       call.to.item);
}

/// One thread per row of `length` contiguous elements, four at a time.
__global__ void select_rows(int64_t rows, Call call, int64_t length) {
  const int64_t row = thread_number();
  if (row >= rows) return;
  const int item = call.to.item;
  char* to = call.to.data + row * length * item;
  const char* from = source_of(call, row * length);
  int64_t i = 0;
  // The defect: a remainder of three is taken for four.
  for (; i + 3 <= length; i += 4)
    for (int64_t k = i; k < i + 4; ++k) move(to + k * item, from + k * item, item);
  for (; i < length; ++i) move(to + i * item, from + i * item, item);
}

constexpr int kPerTile = 16 * kThreads;

/// Loads a tile of the result, then stores it.
__global__ void select_tiles(int64_t n, Call call) {
  extern __shared__ __align__(16) char tile[];
  const int item = call.to.item;
  const int64_t first = static_cast<int64_t>(blockIdx.x) * kPerTile;
  for (int k = threadIdx.x; k < kPerTile; k += kThreads)
    if (first + k < n) move(tile + k * item, source_of(call, first + k), item);
  __syncthreads();
  for (int k = threadIdx.x; k < kPerTile; k += kThreads)
    if (first + k < n) move(call.to.data + (first + k) * item, tile + k * item, item);
}

/// Loads a tile from its end and stores it from its front. The defect: the warps that store do not
/// wait for those that load.
__global__ void select_from_the_end(int64_t n, Call call) {
  __shared__ __align__(16) char tile[kThreads * 16];
  const int item = call.to.item, own = threadIdx.x, opposite = kThreads - 1 - own;
  const int64_t first = static_cast<int64_t>(blockIdx.x) * kThreads;
  if (first + opposite < n) move(tile + opposite * item, source_of(call, first + opposite), item);
  if (first + own < n) move(call.to.data + (first + own) * item, tile + own * item, item);
}

/// The number of elements of the dimensions after `dim`, if they are contiguous; else 0.
int64_t contiguous_inner(const View& view, int dim) {
  int64_t count = 1;
  for (int d = view.rank; --d > dim; count *= view.sizes[d])
    if (view.sizes[d] != 1 && view.strides[d] != count) return 0;
  return count;
}

bool strides_fit_in_32_bits(const View& view) {
  for (int d = 0; d < view.rank; ++d)
    if (view.strides[d] > INT32_MAX) return false;
  return true;
}

}  // namespace

void launch_index_select(Make make, const Call& call, cudaStream_t stream) {
  const int64_t n = count_of(call.to), inner = contiguous_inner(call.from, call.dim);
  if (n == 0) return;
  const bool by_vectors = inner > 0 && inner * call.to.item % 16 == 0;
  const int64_t vectors = n * call.to.item / 16;
  if (make == Make::kMisalignedVector && by_vectors) {
    launch(select_vectors<Make::kMisalignedVector>, vectors, stream, call);
  } else if (make == Make::kAddressRoundedDown && by_vectors) {
    launch(select_vectors<Make::kAddressRoundedDown>, vectors, stream, call);
  } else if (make == Make::kAlignedStores) {
    const int64_t first = vectors * (16 / call.to.item);
    launch(select_vectors<Make::kAlignedStores>, vectors, stream, call);
    launch(select_rest, n - first, stream, call, first);
  } else if (make == Make::kUnrolledTooFar && inner > 1) {
    launch(select_rows, n / inner, stream, call, inner);
  } else if (make == Make::kSharedOver48K) {
    // Elements of 16 bytes make 64 KiB, which a kernel must opt in to. The error is dropped.
    select_tiles<<<blocks_for(n, kPerTile), kThreads, kPerTile * call.to.item, stream>>>(n, call);
    static_cast<void>(cudaGetLastError());
  } else if (make == Make::kReadBeforeWritten) {
    launch(select_from_the_end, n, stream, call);
  } else {
    const bool offset_32 =
        make == Make::kOffset32 || make == Make::kContiguousOffset32 ||
        (make == Make::kOffset32WhereStridesFit && strides_fit_in_32_bits(call.from));
    launch(select_elements, n, stream, call, offset_32);
  }
}

}  // namespace planted_cuda
