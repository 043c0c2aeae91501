#pragma once

#include <cuda_runtime_api.h>

#include "view.h"

namespace planted_cuda {

/// The reference, or the reference with exactly one thing changed.
enum class MaskedScatter {
  kReference,
  kRankInByte,
};

struct MaskedScatterCall {
  View to, mask;  ///< of one shape; `to` holds self
  View from;      ///< the source, taken in row-major order
  int64_t* begins;
};

/// Fills `begins`.
void launch_count(const MaskedScatterCall& call, cudaStream_t stream);
void launch_masked_scatter(MaskedScatter make, const MaskedScatterCall& call, cudaStream_t stream);

}  // namespace planted_cuda
