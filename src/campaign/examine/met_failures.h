#pragma once
// The failures that a campaign has met: which of them need an examination, and how often it showed
// nothing.

#include <cstdint>
#include <map>

#include "campaign/examine/silenced_failures.h"
#include "campaign/examine/waiting_keys.h"
#include "campaign/workers/workers.h"

namespace indexfuzz {

/// Tells new failures from duplicates, for the workers too. Every `key` is a shrink key.
class MetFailures {
 public:
  /// Borrowed.
  explicit MetFailures(SilencedFailureList& list) : silenced_(list), waiting_(silenced_) {}

  /// See Finder::note().
  bool note(Suspect& suspect, std::uint64_t key);
  /// For a suspect that was noted, when its examination begins. Returns false if it is not to be
  /// examined, since it has been silenced meanwhile or no more failures can be told apart; the
  /// suspect is then forgotten.
  bool take_up(const Suspect& suspect, std::uint64_t key);
  /// For a suspect that was noted and will not be examined: similar ones may be reported again.
  void abandon(const Suspect& suspect, std::uint64_t key);

  /// Silences failures, as SilencedFailures::add(). Returns the entry's place, for drop().
  int add(std::uint64_t key, const TraitSet& traits, std::int64_t least_elements = 0) {
    return silenced_.add(key, traits, least_elements);
  }
  /// Lets the failures of an entry be reported again. Does nothing at -1.
  void drop(int place) { silenced_.drop(place); }

  /// An examined failure turned out to be one that has been met.
  void count_duplicate() { ++duplicates_; }
  /// As count_duplicate(), for a failure that was recognized only once it was shrunk. True if there
  /// were many such failures with this key; from then on those with at least `least_elements`
  /// elements are silenced.
  bool count_repeat(std::uint64_t key, std::int64_t least_elements);

  /// A failure did not show again. The next failure with its key is examined again, up to a limit.
  void note_unconfirmed(std::uint64_t key, Kind kind);
  bool was_unconfirmed(std::uint64_t key) const { return unconfirmed_keys_.contains(key); }
  /// The failures with this key that did not show again before are explained now, and no longer
  /// count.
  void explain(std::uint64_t key, Kind kind);

  std::uint64_t duplicates() const { return duplicates_; }
  std::uint64_t unconfirmed() const { return unconfirmed_; }
  /// Shrink keys of failures that workers met again and again and that no re-run showed.
  std::uint64_t elusive() const { return elusive_; }
  /// Failures that were let go because no more can be told apart.
  std::uint64_t untracked() const { return untracked_; }

 private:
  bool is_silenced(const Suspect& suspect, std::uint64_t key) const;
  void no_longer_waits(const Suspect& suspect, std::uint64_t key);

  SilencedFailures silenced_;
  WaitingKeys waiting_;                                      ///< of suspects that were noted
  std::map<std::uint64_t, std::uint64_t> unconfirmed_keys_;  ///< by key: how many of them
  std::map<std::uint64_t, int> repeats_;  ///< by key: duplicates recognized only once shrunk
  std::uint64_t duplicates_ = 0, unconfirmed_ = 0, elusive_ = 0, untracked_ = 0;
};

}  // namespace indexfuzz
