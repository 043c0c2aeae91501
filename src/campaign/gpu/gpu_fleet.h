#pragma once
// What a campaign keeps ready on GPUs besides its workers.

#include <cstdint>
#include <optional>
#include <string>

#include "campaign/gpu/device_memory.h"
#include "campaign/gpu/mps_server.h"
#include "campaign/workers/runner.h"
#include "campaign/workers/spares.h"

namespace indexfuzz {

struct GpuFleetOptions {
  int workers = 1;
  bool mps = false;                    ///< use MPS if there are several workers
  std::optional<std::int64_t> memory;  ///< bytes of each GPU; none: a quarter of what is free
  bool strict = false;
};

/// Owns spares for re-runs and shrinking, spares for cases that may end their process, and the MPS
/// server, through which only the workers share the GPU. Empty if no implementation is on a GPU.
class GpuFleet {
 public:
  static constexpr int kMostSlots = kMostSpares + kMostFatal;

  /// Uses up to kMostSlots slots of the zygote from `first_slot` on, and limits the device memory
  /// of all its children. `pulse` is called while runner() waits, `at_rest`, which does no work,
  /// while fatal_runner() does and at the start. Throws DeviceMissing, Interruption.
  GpuFleet(ZygoteClient& zygote, const GpuFleetOptions& options, int first_slot, Pulse pulse,
           Pulse at_rest);

  /// Restarts the spares that have died.
  void refill();
  Runner* runner() { return runner_ ? &*runner_ : nullptr; }
  Runner* fatal_runner() { return fatal_runner_ ? &*fatal_runner_ : nullptr; }
  /// Job::device_memory of the workers.
  std::int64_t worker_memory() const { return worker_memory_; }
  /// Job::mps_pipe of the workers; empty if they share the GPU without MPS.
  std::string mps_pipe() const { return mps_ && mps_->runs() ? mps_->pipe() : ""; }
  /// One sentence if MPS was wanted and there is none; else empty.
  std::string without_mps() const;

 private:
  std::int64_t worker_memory_ = 0;
  std::optional<MpsServer> mps_;
  std::optional<Spares> spares_, fatal_spares_;
  std::optional<Runner> runner_, fatal_runner_;
};

}  // namespace indexfuzz
