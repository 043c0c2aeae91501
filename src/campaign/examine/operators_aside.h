#pragma once
// Operators that are set aside: workers do not run them on a GPU for a while, since a batch that
// called them has broken it. Which of their cases did so is known only once the batch is examined.
// Cases that are not run for that reason count as steered (run/shared/tally.h).

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "campaign/workers/workers.h"
#include "run/shared/protocol.h"

namespace indexfuzz {

/// Keeps SharedMemory::set_aside, so that workers go on with other operators and need not stand
/// still.
class OperatorsAside {
 public:
  /// Borrowed.
  explicit OperatorsAside(SharedMemory& memory) : memory_(memory) {}

  /// Sets aside the operators that a batch (`batch_calls`) has called. False, with nothing changed,
  /// if none of the plan's operators would be left to run.
  bool add(const Suspect& batch, const WorkPlan& plan);
  /// Once the case that broke the GPU is located: sets aside its operator alone, in place of all
  /// that the batch has called.
  void narrow(const Suspect& batch, const Suspect& located);
  /// Lets the operators that were set aside for a batch, or for a located case, run again, except
  /// those set aside for another one, too. Does nothing for other suspects.
  void remove(const Suspect& suspect);

 private:
  /// An operator, by its place in operators(), on an implementation.
  struct Pair {
    std::uint32_t implementation;
    std::size_t op_place;
    auto operator<=>(const Pair&) const = default;
  };
  /// The worker, and the number of its case or of the first one of the batch.
  using SuspectId = std::pair<std::uint32_t, std::uint64_t>;

  static SuspectId id_of(const Suspect& suspect) { return {suspect.worker, suspect.case_number}; }
  void tell();

  SharedMemory& memory_;
  std::map<SuspectId, std::vector<Pair>> pairs_;
};

}  // namespace indexfuzz
