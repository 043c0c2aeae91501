#pragma once

#include <cuda_runtime_api.h>

#include "view.h"

namespace planted_cuda {

/// The reference, or the reference with exactly one thing changed.
enum class Gather {
  kReference,
  kGridRoundedDown,
  kIndexUnchecked,
  kMissingSync,
  kStoresInFront,
  kLoadsNextIndex,
  kThreadsOverLimit,
  kRank5Assert,
  kStagedIndex,  // correct: a shared tile, and a last one that is not full
  kColumnMajor,  // correct: the strides of a fresh result are the kernel's own choice
};

struct GatherCall {
  View from, which, to;  ///< `to` has the shape of `which`
  int dim;
};

void launch_gather(Gather make, const GatherCall& call, cudaStream_t stream);

}  // namespace planted_cuda
