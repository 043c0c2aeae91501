#pragma once
// The failures that workers need not hand over any more, in the memory that they share.

#include <cstdint>

#include "judge/signature.h"
#include "run/protocol.h"

namespace indexfuzz {

/// The supervisor's side of `is_known_failure`. It alone writes.
class KnownFailures {
 public:
  explicit KnownFailures(SharedMemory& memory) : memory_(memory) {}

  /// Every failure with this key and all these traits is known from now on. Returns its place, for
  /// `drop`; -1 where there is no room.
  int add(std::uint64_t key, const TraitSet& traits);
  void drop(int place);
  /// Whether a failure is known for another reason than what stands at `except`. Where the list is
  /// full every one is: nothing more can be told apart.
  bool holds(std::uint64_t key, const TraitSet& all, int except = -1) const;

 private:
  SharedMemory& memory_;
};

}  // namespace indexfuzz
