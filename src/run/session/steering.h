#pragma once
// Steering: once a failure is found, cases like it become rare, so that they do not use up the
// campaign.

#include <boost/container/small_vector.hpp>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "case/case.h"
#include "judge/signature.h"
#include "run/shared/protocol.h"

namespace indexfuzz {

/// A worker's view of the failures that the campaign has found so far. A case carries a failure if
/// it has all of its essential traits and is at least as large. Among the cases of one form that an
/// implementation runs, at most one in SteeredFailure::one_in carries a failure. If nearly all
/// cases carry it, the one_in-th of them runs, so that a failure of every case is seen once, and
/// from then on one in 10 × one_in. Costs one load while no failure is known.
class Steering {
 public:
  /// Whether the case is steered: the implementation must not run it. To be asked once for each
  /// case and implementation, in the order of `number`. Counts in the slot, so that a worker that
  /// follows a dead one goes on counting: with one worker the answers depend on the earlier cases
  /// and findings alone. `calls_base`: before an illegal case its legal base is called, which may
  /// end the process.
  bool turns_away(const SharedMemory& memory, Slot& slot, std::uint64_t number, const Case& c,
                  std::size_t implementation, bool calls_base);
  /// What turns_away() would say of the case if it came now. Counts nothing.
  bool would_turn_away(const SharedMemory& memory, const Slot& slot, const Case& c,
                       std::size_t implementation, bool calls_base);

 private:
  struct Failure {
    std::uint64_t target;
    std::size_t place;  ///< in SharedMemory::steered and Slot::steering
    std::int64_t least_elements;
    std::uint64_t one_in;
    bool ends_process;
    TraitSet traits;
  };
  /// The failures with the form and implementation of a case.
  using Alike = boost::container::small_vector<const Failure*, 16>;
  Alike alike(const Case& c, std::size_t implementation, bool calls_base) const;
  static bool may_run(const Failure& failure, const SteeringCount& count);
  static bool carries(const Failure& failure, const TraitSet& all, std::int64_t elements);
  void learn(const SharedMemory& memory);

  std::vector<Failure> failures_;  ///< sorted by target
  TraitSet traits_;                ///< of the case `number_`
  std::int64_t elements_ = 0;      ///< of the same case
  std::uint64_t number_ = UINT64_MAX;
};

}  // namespace indexfuzz
