#pragma once

#include <c10/core/ScalarType.h>
#include <cuda_runtime_api.h>

#include "view.h"

namespace planted_cuda {

/// The reference, or the reference with exactly one thing changed.
enum class Nonzero {
  kReference,
  kTruncated,
};

struct NonzeroCall {
  View from;
  c10::ScalarType dtype;
  int64_t* begins;  ///< one number per block of 64 and the sum
};

/// Fills `begins`.
void launch_count(Nonzero make, const NonzeroCall& call, cudaStream_t stream);
/// Writes one row of from.rank numbers per element that is not zero; the rows are contiguous.
void launch_nonzero(Nonzero make, const NonzeroCall& call, int64_t* to, cudaStream_t stream);

}  // namespace planted_cuda
