#pragma once

#include <cuda_runtime_api.h>

#include "view.h"

namespace planted_cuda {

/// The reference, or the reference with exactly one thing changed.
enum class IndexSelect {
  kReference,
  kNoDeviceGuard,
  kDefaultStream,
  kStrideAsSize,
  kOffset32,
  kOffset32WhereStridesFit,
  kContiguousOffset32,
  kMisalignedVector,
  kAddressRoundedDown,
  kUnrolledTooFar,
  kSharedOver48K,
  kReadBeforeWritten,
  kNobodyWaits,
  kNobodyWaitsForOwn,
  kAlignedStores,  // correct: fresh memory is aligned to 512 bytes, a view is not
  kSideStream,     // correct: events order it after the inputs and before what follows
};

struct IndexSelectCall {
  View from, which, to;  ///< `to` is contiguous
  int dim;
};

void launch_index_select(IndexSelect make, const IndexSelectCall& call, cudaStream_t stream);

}  // namespace planted_cuda
