#pragma once
// Of failures that are not examined yet, no more than a few of one key wait.

#include <cstdint>
#include <map>

#include "campaign/examine/known_failures.h"

namespace indexfuzz {

/// While two failures of one shrink key wait, every failure with it counts as known: what the
/// others are depends on what becomes of the first.
class WaitingKeys {
 public:
  explicit WaitingKeys(KnownFailures& known) : known_(known) {}

  void add(std::uint64_t key);
  /// Of one that was added; where it does not wait any more, all with its key may come again.
  void remove(std::uint64_t key);

 private:
  struct Waiting {
    int count = 0;
    int known_place = -1;  ///< of the key alone, while they are many
  };

  KnownFailures& known_;
  std::map<std::uint64_t, Waiting> waiting_;
};

}  // namespace indexfuzz
