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
  kStaged,         ///< the call is copied from pinned memory that the next call may already rewrite
  kStagedAwaited,  // correct: the next call waits for that copy
  kFewBlocks,      // correct: two blocks in a grid-stride loop
};

struct MaskedFillCall {
  View to;            ///< holds self, broadcast
  View mask;          ///< of the shape of `to`
  const char* value;  ///< one element
};

void launch_masked_fill(MaskedFill make, const MaskedFillCall& call, cudaStream_t stream);
/// As launch_masked_fill(), for a call in device memory, of `count` elements.
void launch_staged_masked_fill(const MaskedFillCall* call, int64_t count, cudaStream_t stream);

}  // namespace planted_cuda
