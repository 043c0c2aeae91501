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

/// Where the elements of the values go.
struct IndexPutCall {
  View to;              ///< holds self
  View from;            ///< the values, broadcast to `shape`
  View shape;           ///< of what the indices select
  View rows[kMaxRank];  ///< one per dimension of self: int64 positions in it; no data: not given
  int block;            ///< where the dimensions of the indices begin in `shape`
  int block_rank;
  bool accumulate;
  c10::ScalarType dtype;
};

/// `winners` holds one number per element of `to`, which is contiguous, for kFirstWins alone.
void launch_index_put(IndexPut make, const IndexPutCall& call, int64_t* winners,
                      cudaStream_t stream);

}  // namespace planted_cuda
