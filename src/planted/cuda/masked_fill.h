#pragma once

#include <cuda_runtime_api.h>

#include "view.h"

namespace planted_cuda {

/// The reference, or the reference with exactly one thing changed.
enum class MaskedFill {
  kReference,
  kValueOnHost,
  kMaskInItems,
  kErrorLeftBehind,
  kFewBlocks,  // correct: two blocks that stride over the grid
};

struct MaskedFillCall {
  View to;            ///< holds self, broadcast
  View mask;          ///< of the shape of `to`
  const char* value;  ///< one element
};

void launch_masked_fill(MaskedFill make, const MaskedFillCall& call, cudaStream_t stream);

}  // namespace planted_cuda
