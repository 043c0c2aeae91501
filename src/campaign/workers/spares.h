#pragma once
// Children on a GPU that get ready before they are needed: making a context takes long, and a case
// may end it at once.

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "campaign/workers/death.h"
#include "campaign/workers/gpu_retry.h"
#include "campaign/workers/zygote_client.h"

namespace indexfuzz {

/// Owns the children in its slots of the zygote. Keeps none when take() has not been called for a
/// while: each context on a GPU, even an idle one, makes every assertion in a kernel cost all
/// processes on that GPU 13 ms.
class Spares {
 public:
  /// For a child in each slot, which opens the GPU of `implementation` and waits; refill() starts
  /// them. Any implementation may be run there later.
  Spares(ZygoteClient& zygote, SlotRange slots, std::uint32_t implementation);

  /// Notes which children got ready and starts missing ones, a few at a time; ends idle ones after
  /// a while without take(). Throws DeviceMissing, with the GPU's error, if child after child
  /// cannot open it.
  void refill();
  /// A slot whose child is ready; none while all are busy or getting ready. Prefers the child that
  /// has run most, so that others stay unused. `unused`: takes only a child that has run nothing;
  /// if there is none, returns none and replaces the first child if that is idle. Until give_back()
  /// the slot is the caller's: refill() leaves it alone, even if its child has died.
  std::optional<int> take(bool unused = false);
  void give_back(int slot);

 private:
  enum class State : std::uint8_t { kEmpty, kOpening, kOpen, kLent };
  struct Spare {
    State state = State::kEmpty;
    HangWatch watch;  ///< while it is opening
  };
  Spare& spare(int slot) { return spares_[static_cast<std::size_t>(slot - slots_.first)]; }
  void look_at(int slot, Spare& spare, int& opening);
  void open(int slot, Spare& spare);
  void count_opened(int slot, const Spare& spare);

  ZygoteClient& zygote_;
  SlotRange slots_;
  std::uint32_t implementation_;
  std::vector<Spare> spares_;  ///< by slot
  int failures_ = 0;           ///< in a row, of those that will not pass
  GpuRetry gpu_;               ///< after failures that may pass
  /// When take() was last called.
  std::chrono::steady_clock::time_point asked_ = std::chrono::steady_clock::now();
};

}  // namespace indexfuzz
