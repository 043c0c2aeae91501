#pragma once
// Children on a GPU that got ready before they are needed: to make a context takes long, and a case
// may end it at once.

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "campaign/workers/death.h"
#include "campaign/workers/gpu_retry.h"
#include "campaign/workers/zygote_client.h"

namespace indexfuzz {

/// Slots [first, first + count) of a zygote.
struct SlotRange {
  int first = 0;
  int count = 1;
};

/// Owns the children in its slots of the zygote. None is kept while nobody asks for one: each
/// context on a GPU, at work or not, costs whoever works there 13 ms of every assertion in a
/// kernel.
class Spares {
 public:
  /// For a child in each slot, which opens the GPU of `implementation` and waits; `refill` starts
  /// them. Any implementation may be run there later.
  Spares(ZygoteClient& zygote, SlotRange slots, std::uint32_t implementation);

  /// Takes note of what got ready, and starts children where none are, a few at a time; ends those
  /// at rest after a while without `take`. Throws DeviceMissing, with what the GPU says, where
  /// child after child cannot open it.
  void refill();
  /// A slot whose child is ready; none while all are busy or getting ready. Prefers one that has
  /// run something already, so that the others stay `unused` for who asks for that; where none is
  /// unused, the first one is replaced.
  std::optional<int> take(bool unused = false);

 private:
  enum class State : std::uint8_t { kEmpty, kOpening, kOpen };
  struct Spare {
    State state = State::kEmpty;
    HangWatch watch;  ///< while it is opening
  };
  void look_at(int slot, Spare& spare, int& opening);
  void open(int slot, Spare& spare);
  void count_opened(int slot, const Spare& spare);

  ZygoteClient& zygote_;
  SlotRange slots_;
  std::uint32_t implementation_;
  std::vector<Spare> spares_;  ///< by slot
  int failures_ = 0;           ///< in a row, that will not pass
  GpuRetry gpu_;               ///< after others
  /// When one was last asked for.
  std::chrono::steady_clock::time_point asked_ = std::chrono::steady_clock::now();
};

}  // namespace indexfuzz
