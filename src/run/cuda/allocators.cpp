#include "run/cuda/allocators.h"

#include <c10/cuda/CUDACachingAllocator.h>
#include <torch/csrc/cuda/CUDAPluggableAllocator.h>

#include <array>
#include <memory>
#include <mutex>

#include "run/device/device.h"

namespace indexfuzz::cuda {
namespace {

namespace pluggable = torch::cuda::CUDAPluggableAllocator;

std::array<ResultHeap*, kMaxDevices> heaps{};
// PyTorch allocates from any thread, also from those among which a kernel shares out its work.
std::mutex heaps_mutex;

ResultHeap* heap_of(int device) {
  return device >= 0 && device < kMaxDevices ? heaps[static_cast<std::size_t>(device)] : nullptr;
}

void* allocate(std::size_t bytes, int device, cudaStream_t stream) {
  const std::lock_guard lock(heaps_mutex);
  if (ResultHeap* const heap = heap_of(device)) return heap->allocate(bytes, stream);
  void* memory = nullptr;
  if (bytes == 0 || cudaMalloc(&memory, bytes) == cudaSuccess) return memory;
  cudaGetLastError();
  return nullptr;
}

void release(void* pointer, std::size_t, int device, cudaStream_t) {
  const std::lock_guard lock(heaps_mutex);
  if (ResultHeap* const heap = heap_of(device)) {
    heap->release(pointer);
  } else {
    cudaFree(pointer);
  }
}

void note_stream(void* pointer, cudaStream_t) {
  const std::lock_guard lock(heaps_mutex);
  for (ResultHeap* const heap : heaps) {
    if (heap != nullptr) heap->keep(pointer);
  }
}

}  // namespace

c10::Allocator* allocate_from(int device, ResultHeap& heap) {
  static const auto allocator = [] {
    auto made = std::static_pointer_cast<pluggable::CUDAPluggableAllocator>(
        pluggable::createCustomAllocator(allocate, release));
    made->set_record_stream_fn(note_stream);
    pluggable::changeCurrentAllocator(made);
    return made;
  }();
  heaps.at(static_cast<std::size_t>(device)) = &heap;
  return allocator.get();
}

}  // namespace indexfuzz::cuda
