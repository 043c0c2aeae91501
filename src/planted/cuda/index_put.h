#pragma once

#include <c10/core/ScalarType.h>
#include <cuda_runtime_api.h>

#include "view.h"

namespace planted_cuda {

/// The reference, or the reference with exactly one thing changed.
enum class IndexPut {
  kReference,
  kNotAtomic,
  kValuesByIndexShape,
  kTailDropped,
  kFirstWins,  // correct: without accumulate any of the duplicates may win
};

/// The destinations of the values.
struct IndexPutCall {
  View to;              ///< holds self
  View from;            ///< the values, broadcast to `shape`
  View shape;           ///< of what the indices select
  View rows[kMaxRank];  ///< int64 positions, one view per dimension of self; no data: not indexed
  int block;            ///< the first dimension of `shape` that comes from the indices
  int block_rank;
  bool accumulate;
  c10::ScalarType dtype;
};

/// `winners`, for kFirstWins alone: one number per element of `to`, which is contiguous.
void launch_index_put(IndexPut make, const IndexPutCall& call, int64_t* winners,
                      cudaStream_t stream);

}  // namespace planted_cuda
