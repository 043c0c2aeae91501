#include "run/cuda/memory_load.h"

#include <chrono>

namespace indexfuzz::cuda {
namespace {

constexpr std::chrono::milliseconds kLimit{20};
// If the GPU is busy with other work, calls need no load beside them.
constexpr std::chrono::milliseconds kPatience{1};
// A few blocks for each multiprocessor, which leave room for the blocks of calls.
constexpr int kBlocks = 528, kThreads = 256;

__global__ void read_all_over(const uint4* memory, std::uint64_t count, volatile int* begun,
                              const volatile int* stopped, unsigned long long nanoseconds,
                              unsigned* sink) {
  constexpr int kReads = 8;  // between two looks at the clock
  unsigned long long begin = 0, now = 0;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
  std::uint64_t random = blockIdx.x * blockDim.x + threadIdx.x + 1;
  unsigned sum = 0;
  do {
    for (int i = 0; i < kReads; ++i) {
      // https://en.wikipedia.org/wiki/Linear_congruential_generator, Knuth's MMIX
      random = random * 6364136223846793005u + 1442695040888963407u;
      sum += __ldcg(memory + (random >> 33) % count).x;
    }
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    if (blockIdx.x == gridDim.x - 1 && threadIdx.x == 0) *begun = 1;
  } while (*stopped == 0 && now - begin < nanoseconds);
  // Otherwise the compiler would leave the reads out.
  if (sum == 1) *sink = sum;
}

}  // namespace

cudaError_t MemoryLoad::open() {
  if (stream_ != nullptr) return cudaSuccess;
  int* words = nullptr;
  cudaError_t error = cudaMallocHost(reinterpret_cast<void**>(&words), 2 * sizeof *words);
  if (error == cudaSuccess) error = cudaMalloc(reinterpret_cast<void**>(&sink_), sizeof *sink_);
  if (error == cudaSuccess) error = cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking);
  begun_ = words;
  stopped_ = words + 1;
  return error;
}

cudaError_t MemoryLoad::start(const unsigned char* memory, std::int64_t bytes) {
  if (const cudaError_t error = open(); error != cudaSuccess) return error;
  *begun_ = 0;
  *stopped_ = 0;
  runs_ = true;
  read_all_over<<<kBlocks, kThreads, 0, stream_>>>(
      reinterpret_cast<const uint4*>(memory), static_cast<std::uint64_t>(bytes) / sizeof(uint4),
      begun_, stopped_, std::chrono::nanoseconds(kLimit).count(), sink_);
  const auto until = std::chrono::steady_clock::now() + kPatience;
  while (*begun_ == 0 && std::chrono::steady_clock::now() < until) {
  }
  return cudaGetLastError();
}

cudaError_t MemoryLoad::stop() {
  if (!runs_) return cudaSuccess;
  runs_ = false;
  *stopped_ = 1;
  return cudaStreamSynchronize(stream_);
}

}  // namespace indexfuzz::cuda
