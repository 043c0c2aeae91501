#pragma once

#include <c10/core/ScalarType.h>
#include <cuda_runtime_api.h>

#include "view.h"

namespace planted_cuda {

/// The reference, or the reference with exactly one thing changed.
enum class IndexAdd {
  kReference,
  kSumsOfBlocks,
  kReadsPastIndex,
  kScalesSource,
};

struct IndexAddCall {
  View which, from, to;  ///< `to` holds self; alpha is already in `from`
  int dim;
  c10::ScalarType dtype;
};

void launch_index_add(IndexAdd make, const IndexAddCall& call, cudaStream_t stream);

}  // namespace planted_cuda
