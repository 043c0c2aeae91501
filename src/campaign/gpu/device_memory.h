#pragma once
// How much of a GPU's memory a campaign may take, and how it is divided among the children.

#include <cstdint>
#include <optional>

#include "campaign/hello.h"
#include "campaign/workers/pulse.h"

namespace indexfuzz {

/// The bytes that are free on the fullest of the GPUs that the implementations use. Asks the driver
/// in a process of its own. Throws DeviceMissing if the driver does not tell, Interruption once
/// `pulse` is true.
std::int64_t free_device_memory(const Hello& hello, const Pulse& pulse);

/// The most children besides the workers.
inline constexpr int kMostSpares = 4, kMostFatal = 2;

/// How many children use a GPU at a time.
struct GpuChildren {
  int workers = 1;
  int spares = 0;  ///< for re-runs and shrinking
  int fatal = 0;   ///< for cases that may end their process
};
/// `workers`, and as many other children as `cores` can serve.
GpuChildren gpu_children(int workers, unsigned cores);

struct MemoryPlan {
  GpuChildren children;
  // Job::device_memory of each worker, and of each other child.
  std::int64_t worker = 0;
  std::int64_t other = 0;
};
/// Divides `bytes`, contexts included. The other children get the least that they need. The workers
/// get the rest, since their batches grow with it; if that is little, there are fewer other
/// children. Throws DeviceMissing if there is too little for the workers.
MemoryPlan share_device_memory(std::int64_t bytes, GpuChildren wanted);

}  // namespace indexfuzz
