#pragma once
// PyTorch's allocator for GPUs in a worker: one for the process, with a heap for each GPU.

#include <c10/core/Allocator.h>

#include "run/cuda/result_heap.h"

namespace indexfuzz::cuda {

/// Makes PyTorch take the GPU's memory from the heap, which is never destroyed. A GPU without a
/// heap gets its memory from cudaMalloc.
c10::Allocator* allocate_from(int device, ResultHeap& heap);

}  // namespace indexfuzz::cuda
