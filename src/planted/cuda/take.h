#pragma once

#include <cuda_runtime_api.h>

#include "view.h"

namespace planted_cuda {

/// The reference, or the reference with exactly one thing changed.
enum class Take {
  kReference,
  kOffsetIgnored,
  kNegativeNotWrapped,
  kWorkspaceLeaked,
  kSmallLeak,
  kGridCapped,
  kGridOfNothing,
  kTraps,  // correct: few blocks in a grid-stride loop, and a trap for an illegal index
};

struct TakeCall {
  View from, which, to;  ///< `to` has the shape of `which`
};

void launch_take(Take make, const TakeCall& call, cudaStream_t stream);

}  // namespace planted_cuda
