#pragma once
// Whether a GPU answers anybody at all. While contexts begin and end, the driver may let every
// process on a GPU wait, for seconds: none of them hangs.

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
  /// In a slot of the zygote that nobody else uses.
  GpuWitness(ZygoteClient& zygote, int slot) : zygote_(zygote), slot_(slot) {}

  /// Whether the GPU of this implementation has answered the witness, which began to ask after
  /// `since`, and the others have had a `moment` more. Does not wait: ask again. Throws
  /// DeviceMissing where the GPU answers nobody for minutes.
  bool served_since(Time since, std::uint32_t implementation, Time now,
                    std::chrono::milliseconds moment);

 private:
  void ask(std::uint32_t implementation, Time now);

  ZygoteClient& zygote_;
  int slot_;
  std::uint32_t implementation_ = 0;  ///< whose GPU was asked last
  bool asking_ = false;
  Time first_asked_{};  ///< since the last answer
  Time asked_{};        ///< last
  Time answered_{};     ///< to what was asked last; before that where no answer has come
};

/// Whether the child in the slot hangs: it is stuck (HangWatch), and where it is on a GPU, that
/// serves others. Throws DeviceMissing.
bool hangs(ZygoteClient& zygote, int slot, HangWatch& watch, std::chrono::milliseconds timeout);

}  // namespace indexfuzz
