#pragma once

#include <cuda_runtime_api.h>

#include "view.h"

namespace planted_cuda {

/// The reference, or the reference with exactly one thing changed.
enum class MaskedSelect {
  kReference,
  kCarryForgotten,
  kWorkspaceTooSmall,
  kWaitsForNothing,
  kCountNotAwaited,
};

struct MaskedSelectCall {
  View from, mask;  ///< broadcast together
  int64_t* begins;  ///< one number per block of 64 and the sum
};

/// Fills `begins`.
void launch_count(MaskedSelect make, const MaskedSelectCall& call, cudaStream_t stream);
/// Writes the contiguous `to`; `begins` holds what launch_count has written.
void launch_masked_select(const MaskedSelectCall& call, char* to, cudaStream_t stream);

}  // namespace planted_cuda
