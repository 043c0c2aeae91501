#include "run/cuda/gate.h"

namespace indexfuzz::cuda {
namespace {

// From the moment at which somebody is told that the stream is busy: placing operands, a call and
// the start of its kernels.
constexpr std::chrono::microseconds kLeft{80};

__global__ void wait(unsigned long long nanoseconds) {
  unsigned long long begin = 0, now = 0;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
  do {
    __nanosleep(1000);
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  } while (now - begin < nanoseconds);
}

}  // namespace

cudaError_t Gate::keep_shut(cudaStream_t stream) {
  const auto now = std::chrono::steady_clock::now();
  if (now < shut_until_) return cudaSuccess;
  shut_until_ = now + (wait_ - kLeft);
  wait<<<1, 1, 0, stream>>>(std::chrono::nanoseconds(wait_).count());
  return cudaGetLastError();
}

}  // namespace indexfuzz::cuda
