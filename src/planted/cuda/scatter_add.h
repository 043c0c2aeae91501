#pragma once

#include <c10/core/ScalarType.h>
#include <cuda_runtime_api.h>

#include "view.h"

namespace planted_cuda {

/// The reference, or the reference with exactly one thing changed.
enum class ScatterAdd {
  kReference,
  kNotAtomic,
  kHalfByWord,
  kBoolAsByte,
  kLanesCountedAgain,
  kEmptyIndexGrid,
  kReadsWrittenSelf,
  kReverseOrder,  // correct: one thread a line; the order of the sum is the kernel's own choice
};

struct ScatterAddCall {
  View which, from, to;  ///< `to` holds self
  int dim;
  c10::ScalarType dtype;
};

void launch_scatter_add(ScatterAdd make, const ScatterAddCall& call, cudaStream_t stream);

/// Copies self into `to`, of the same shape, with the grid that an index of `n` elements needs.
void launch_copy_with_blocks_of(int64_t n, const View& self, const View& to, cudaStream_t stream);

}  // namespace planted_cuda
