#pragma once

#include <c10/core/ScalarType.h>
#include <cuda_runtime_api.h>

#include "view.h"

namespace planted_cuda {

/// The reference, or the reference with exactly one thing changed.
enum class Sort {
  kReference,
  kTilesNotMerged,
  kEqualsInOnePlace,
  kLastOfEqualsFirst,  // correct, unless equals must keep their order
};

struct SortCall {
  View from, values, indices;  ///< all of one shape
  int dim;
  bool descending;
  c10::ScalarType dtype;
};

void launch_sort(Sort make, const SortCall& call, cudaStream_t stream);

}  // namespace planted_cuda
