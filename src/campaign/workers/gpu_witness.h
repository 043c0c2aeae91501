#pragma once
// Whether a GPU answers any process at all. While contexts are made and destroyed, the driver may
// let every process on a GPU wait for seconds: none of them hangs.

#include <chrono>
#include <cstdint>

#include "campaign/workers/death.h"

namespace indexfuzz {

class ZygoteClient;

/// A process that asks a GPU for what all calls need: memory, work, the end of the work. It is
/// started when first needed, and stays.
class GpuWitness {
 public:
  using Time = std::chrono::steady_clock::time_point;
  /// `slot`: one of the zygote's slots, which nothing else uses.
  GpuWitness(ZygoteClient& zygote, int slot) : zygote_(zygote), slot_(slot) {}

  /// Whether the GPU of this implementation serves processes: the witness began to ask it after
  /// `since`, was answered, and a `moment` has passed since the answer, in which other processes
  /// could go on. Never waits: poll it. Throws DeviceMissing if the GPU answers no process for
  /// minutes.
  bool served_since(Time since, std::uint32_t implementation, Time now,
                    std::chrono::milliseconds moment);

 private:
  void ask(std::uint32_t implementation, Time now);

  ZygoteClient& zygote_;
  int slot_;
  std::uint32_t implementation_ = 0;  ///< whose GPU was asked last
  bool asking_ = false;
  Time first_asked_{};  ///< since the last answer
  Time asked_{};        ///< when the GPU was asked last
  Time answered_{};     ///< when it answered that; before asked_ while it has not
};

/// Whether the child in the slot hangs: it is stuck (HangWatch), and if it may be waiting for a
/// GPU, that GPU serves others. Throws DeviceMissing.
bool hangs(ZygoteClient& zygote, int slot, HangWatch& watch, std::chrono::milliseconds timeout);

}  // namespace indexfuzz
