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
  kStaged,         ///< the call goes to the device through pinned memory that the next one rewrites
  kStagedAwaited,  // correct: the next one waits until it was copied
  kFewBlocks,      // correct: two blocks that stride over the grid
};

struct MaskedFillCall {
  View to;            ///< holds self, broadcast
  View mask;          ///< of the shape of `to`
  const char* value;  ///< one element
};

void launch_masked_fill(MaskedFill make, const MaskedFillCall& call, cudaStream_t stream);
/// Of a call that lies on the device; `count`: of its elements.
void launch_staged_masked_fill(const MaskedFillCall* call, int64_t count, cudaStream_t stream);

}  // namespace planted_cuda
