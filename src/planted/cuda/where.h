#pragma once

#include <cuda_runtime_api.h>

#include "view.h"

namespace planted_cuda {

/// The reference, or the reference with exactly one thing changed.
enum class Where {
  kReference,
  kStartsTooEarly,
  kStartsTooEarlyAnywhere,
  kTableReused,
  kTableKept,  // correct: the allocator is told of the second stream
};

struct WhereCall {
  View condition, self, other;  ///< broadcast to the shape of `to`
  View to;
};

void launch_where(const WhereCall& call, cudaStream_t stream);
/// As launch_where(), with the WhereCall, of `n` elements, in device memory.
void launch_where_by_table(int64_t n, const void* table, cudaStream_t stream);

}  // namespace planted_cuda
