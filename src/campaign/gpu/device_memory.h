#pragma once
// How much of a GPU's memory a campaign may take, and how it is shared out.

#include <cstdint>
#include <optional>

#include "campaign/hello.h"
#include "campaign/workers/zygote_client.h"

namespace indexfuzz {

/// Bytes that are free on the GPU that has the fewest of those that the implementations use. Asks
/// in a process of its own. Throws DeviceMissing where the driver does not tell, Interruption once
/// `interrupted` is true.
std::int64_t free_device_memory(const Hello& hello, const Interrupted& interrupted);

/// Children beside the workers.
inline constexpr int kMostSpares = 4, kMostLane = 2;

/// How many children use a GPU at a time.
struct GpuChildren {
  int workers = 1;
  int spares = 0;  ///< for re-runs and shrinking
  int lane = 0;    ///< for cases that may end their process
};
/// `workers`, and as many others as the cores of this machine serve.
GpuChildren gpu_children(int workers, unsigned cores);

struct MemoryPlan {
  GpuChildren children;
  // Job::device_memory of each
  std::int64_t worker = 0;
  std::int64_t other = 0;
};
/// Shares `bytes` out, contexts included, with fewer spares where it is little: the workers, whose
/// batches are the larger the more they have, get what the others leave. Throws
/// DeviceMissing where it is too little for the workers.
MemoryPlan share_device_memory(std::int64_t bytes, GpuChildren wanted);

}  // namespace indexfuzz
