#include "run/cuda/result_heap.h"

#include <algorithm>

#include "run/cuda/checks.h"

namespace indexfuzz::cuda {
namespace {

constexpr std::int64_t kAlignment = 512;

std::int64_t rounded(std::int64_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

/// The owner on this thread, if it is the thread of another lane than the first; else -1.
thread_local int owner_on_thread = -1;

}  // namespace

void ResultHeap::set_owner(int lane, int owner) {
  if (lane == 0) {
    owner_.store(owner, std::memory_order_relaxed);
  } else {
    owner_on_thread = owner;
  }
}

int ResultHeap::owner() const {
  return owner_on_thread >= 0 ? owner_on_thread : owner_.load(std::memory_order_relaxed);
}

cudaError_t ResultHeap::open() {
  const cudaError_t error = cudaMalloc(reinterpret_cast<void**>(&begin_), bytes_);
  dirty_ = used_ = first_ = 0;
  if (error != cudaSuccess) return error;
  return cudaMemsetAsync(begin_, kFreshCanary, bytes_, cudaStreamLegacy);
}

void* ResultHeap::allocate(std::size_t size, cudaStream_t stream) {
  const auto bytes = static_cast<std::int64_t>(size);
  if (bytes == 0 || begin_ == nullptr) return nullptr;
  const std::int64_t at = rounded(used_ + kMargin);
  if (bytes <= bytes_ - kMargin - at) {
    used_ = at + bytes;
    allocations_.push_back({begin_ + at, bytes, stream, owner(), true, false});
    return begin_ + at;
  }
  void* separate = nullptr;
  if (cudaMalloc(&separate, size) != cudaSuccess) {
    cudaGetLastError();
    return nullptr;
  }
  allocations_.push_back(
      {static_cast<unsigned char*>(separate), bytes, stream, owner(), true, true});
  return separate;
}

void ResultHeap::release(void* pointer) {
  // The youngest is usually released first.
  for (std::size_t i = allocations_.size(); i-- > 0;) {
    Allocation& a = allocations_[i];
    if (a.begin != pointer || !a.live) continue;
    a.live = false;
    if (overwrite_released_ && owner() >= 0 && !a.kept)
      cudaMemsetAsync(a.begin, kFreshCanary, static_cast<std::size_t>(a.bytes), a.stream);
    return;
  }
}

void ResultHeap::keep(void* pointer) {
  for (Allocation& a : allocations_) a.kept |= a.begin == pointer && a.live;
}

std::int64_t ResultHeap::live() const {
  return std::count_if(allocations_.begin(), allocations_.end(),
                       [](const Allocation& a) { return a.live; });
}

void ResultHeap::free_separate() {
  std::erase_if(allocations_, [](const Allocation& a) {
    const bool over = !a.live && a.separate;
    if (over) cudaFree(a.begin);
    return over;
  });
}

cudaError_t ResultHeap::begin_batch(cudaStream_t stream) {
  free_separate();
  std::erase_if(allocations_, [](const Allocation& a) { return !a.live; });
  // A kernel may keep memory for its next call: nothing in front of that is used again.
  std::int64_t kept = first_;
  for (Allocation& a : allocations_) {
    a.owner = -1;
    if (!a.separate) kept = std::max(kept, a.begin + a.bytes - begin_);
  }
  dirty_ = std::max(used_ + kMargin, kept);
  first_ = used_ = kept;
  if (dirty_ <= first_) return cudaSuccess;
  return cudaMemsetAsync(begin_ + first_, kFreshCanary,
                         static_cast<std::size_t>(std::min(dirty_, bytes_) - first_), stream);
}

}  // namespace indexfuzz::cuda
