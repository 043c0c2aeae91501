#pragma once
// Operators that are not run on a GPU for a while: a batch of theirs has broken it, and until that
// is examined nobody knows which of their cases do.

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "campaign/workers/workers.h"
#include "run/shared/protocol.h"

namespace indexfuzz {

/// Lets the workers pass over operators, so that none of them needs to stand still.
class OperatorsAside {
 public:
  /// Borrowed.
  explicit OperatorsAside(SharedMemory& memory) : memory_(memory) {}

  /// Sets aside what a batch (`batch_calls`) has called. False, and nothing is changed, if none of
  /// the plan's operators would be left to run.
  bool add(const Suspect& batch, const WorkPlan& plan);
  /// Sets aside what the case that was located in a batch belongs to, in place of all that the
  /// batch has called.
  void narrow(const Suspect& batch, const Suspect& located);
  /// Lets what was set aside for a batch, or for a located case, run again, unless it is set aside
  /// for another one, too. Does nothing for others.
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
