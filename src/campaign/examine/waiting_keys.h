#pragma once
// Limits how many failures of one shrink key wait for their examination.

#include <cstdint>
#include <map>

#include "campaign/examine/silenced_failures.h"

namespace indexfuzz {

/// While two failures of one shrink key wait, all failures with that key are silenced: what they
/// are depends on the result for the first.
class WaitingKeys {
 public:
  explicit WaitingKeys(SilencedFailures& silenced) : silenced_(silenced) {}

  /// For a failure that waits from now on.
  void add(std::uint64_t key);
  /// For a failure that was added and no longer waits: failures with its key may come again.
  void remove(std::uint64_t key);

 private:
  struct Waiting {
    int count = 0;
    int silenced_place = -1;  ///< of the entry for the key alone, while the key is silenced
  };

  SilencedFailures& silenced_;
  std::map<std::uint64_t, Waiting> waiting_;
};

}  // namespace indexfuzz
