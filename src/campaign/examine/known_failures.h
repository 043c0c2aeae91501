#pragma once
// The failures that workers need not hand over any more, in the memory that they share.

#include <cstdint>

#include "judge/signature.h"
#include "run/shared_failures.h"

namespace indexfuzz {

/// The supervisor's side of `is_known_failure`. It alone writes.
class KnownFailures {
 public:
  explicit KnownFailures(KnownFailureList& list) : list_(list) {}

  /// Every failure with this key, all these traits and at least so many elements is known from now
  /// on. Returns its place, for `drop`; -1, and it is not, where the list is full.
  int add(std::uint64_t key, const TraitSet& traits, std::int64_t least_elements = 0);
  void drop(int place);
  /// Whether there is no room for another one until some are dropped.
  bool full() const { return free_place() == kMaxKnownFailures; }
  /// Whether a failure is known for another reason than what stands at `except`.
  bool holds(std::uint64_t key, const Case& c, int except = -1) const;

 private:
  /// Of an entry that was dropped, or behind all of them.
  int free_place() const;

  KnownFailureList& list_;
};

}  // namespace indexfuzz
