#pragma once
// PyTorch's allocator for GPUs, as a worker has it: one for the process, a heap for each GPU.

#include <c10/core/Allocator.h>

#include "run/cuda/result_heap.h"

namespace indexfuzz::cuda {

/// Lets PyTorch take the GPU's memory from the heap, which is never destroyed. Memory of a GPU
/// without one comes from cudaMalloc.
c10::Allocator* allocate_from(int device, ResultHeap& heap);

}  // namespace indexfuzz::cuda
