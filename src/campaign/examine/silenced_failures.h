#pragma once
// The failures that workers need not report any more, in the memory that they share.

#include <cstdint>

#include "judge/signature.h"
#include "run/shared/shared_failures.h"

namespace indexfuzz {

/// The supervisor's side of is_silenced(). Only the supervisor writes.
class SilencedFailures {
 public:
  explicit SilencedFailures(SilencedFailureList& list) : list_(list) {}

  /// Silences every failure with this key, all these traits and at least `least_elements` elements.
  /// Returns the entry's place, for drop(); -1, adding nothing, if the list is full.
  int add(std::uint64_t key, const TraitSet& traits, std::int64_t least_elements = 0);
  /// Lets the failures of an entry be reported again, and frees its place. Does nothing at -1.
  void drop(int place);
  /// Whether there is no room for another entry until some are dropped.
  bool full() const { return free_place() == kMaxSilenced; }
  /// Whether a failure is silenced by any entry other than the one at `except`.
  bool holds(std::uint64_t key, const Case& c, int except = -1) const;

 private:
  /// The place of an entry that was dropped, else the one after the last entry.
  int free_place() const;

  SilencedFailureList& list_;
};

}  // namespace indexfuzz
