#pragma once
// Known failures do not eat the night: once a failure is found, cases like it become rare.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "case/case.h"
#include "judge/signature.h"
#include "run/protocol.h"

namespace indexfuzz {

/// A worker's view of the failures that the campaign has found so far. Of the cases that it lets
/// run on one implementation in one form, at most 1 % carry all essential traits of such a failure;
/// where nearly all cases carry them, one in 1,000 runs. Costs one load while nothing is found.
class Steering {
 public:
  /// Whether the implementation is to be spared this case. Counts, in the slot, so that a worker
  /// that follows a dead one goes on counting: with one worker the answers depend on the cases and
  /// findings before alone. Asked once for each case and implementation, in the order of `number`.
  bool turns_away(const SharedMemory& memory, Slot& slot, std::uint64_t number, const Case& c,
                  std::size_t implementation);

 private:
  struct Failure {
    std::uint64_t target;
    std::size_t place;  ///< in SharedMemory::steered and Slot::steering
    TraitSet traits;
  };
  void learn(const SharedMemory& memory, std::uint32_t count);

  std::vector<Failure> failures_;  ///< sorted by target
  TraitSet traits_;                ///< of the case `number_`
  std::uint64_t number_ = UINT64_MAX;
};

}  // namespace indexfuzz
