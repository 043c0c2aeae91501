#include "run/cuda/gate.h"

namespace indexfuzz::cuda {
namespace {

// What is left of the wait, at least, when a stream counts as busy: time to place operands, make a
// call and start its kernels.
constexpr std::chrono::microseconds kLeft{80};
// Time for what waits behind the gate, and for the launches on the other streams, which come first.
constexpr std::chrono::microseconds kOthersLonger{500};
// Launches on dozens of streams take as long as several calls, so these waits last for a few gates.
constexpr std::chrono::microseconds kOthersTurn{1000};

__global__ void wait(unsigned long long nanoseconds) {
  unsigned long long begin = 0, now = 0;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
  do {
    __nanosleep(1000);
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  } while (now - begin < nanoseconds);
}

void launch_wait(std::chrono::nanoseconds time, cudaStream_t stream) {
  wait<<<1, 1, 0, stream>>>(static_cast<unsigned long long>(time.count()));
}

}  // namespace

cudaError_t Gate::keep_shut(cudaStream_t stream, std::span<const cudaStream_t> others) {
  auto now = std::chrono::steady_clock::now();
  if (now < shut_until_) return cudaSuccess;
  if (now >= others_until_ && !others.empty()) {
    const auto longer = kOthersTurn + wait_ + kOthersLonger;
    // The default stream holds up every stream that was made without a flag. Only once a batch,
    // since the host waits for it too whenever it copies by cudaMemcpy.
    if (others_until_ == std::chrono::steady_clock::time_point{})
      launch_wait(longer, cudaStreamLegacy);
    for (const cudaStream_t other : others) launch_wait(longer, other);
    now = std::chrono::steady_clock::now();
    others_until_ = now + kOthersTurn;
  }
  shut_until_ = now + (wait_ - kLeft);
  launch_wait(wait_, stream);
  return cudaGetLastError();
}

}  // namespace indexfuzz::cuda
