#include "campaign/gpu/gpu_fleet.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

namespace indexfuzz {

GpuFleet::GpuFleet(ZygoteClient& zygote, const GpuFleetOptions& options, int first_slot,
                   Pulse pulse, Pulse at_rest) {
  const Hello& hello = zygote.hello();
  const auto first = first_on_gpu(hello);
  if (!first) return;
  if (options.mps && options.workers > 1) mps_.emplace(at_rest);
  const std::int64_t available = free_device_memory(hello, at_rest);
  const MemoryPlan plan = share_device_memory(
      std::min(options.memory.value_or(available / 4), available),
      gpu_children(options.workers, std::max(1u, std::thread::hardware_concurrency())));
  zygote.limit_device_memory(plan.other);
  worker_memory_ = plan.worker;
  spares_.emplace(zygote, SlotRange{first_slot, plan.children.spares}, *first);
  fatal_spares_.emplace(zygote, SlotRange{first_slot + plan.children.spares, plan.children.fatal},
                        *first);
  runner_.emplace(zygote, *spares_, options.strict, std::move(pulse));
  fatal_runner_.emplace(zygote, *fatal_spares_, options.strict, std::move(at_rest));
}

void GpuFleet::refill() {
  if (spares_) spares_->refill();
  if (fatal_spares_) fatal_spares_->refill();
}

std::string GpuFleet::without_mps() const {
  if (!mps_ || mps_->runs()) return "";
  return fmt::format("the jobs take turns on the GPU, since CUDA MPS is not available: {}",
                     mps_->why());
}

}  // namespace indexfuzz
