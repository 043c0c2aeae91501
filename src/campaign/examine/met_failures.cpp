#include "campaign/examine/met_failures.h"

namespace indexfuzz {
namespace {

/// The most failures of one key that turn out to be duplicates only after they were shrunk.
constexpr int kMaxRepeats = 4;
/// The most failures of one key that do not show again; then the key is silenced.
constexpr std::uint64_t kMaxUnconfirmed = 50;
// From this many of one key on it is no coincidence: a kernel may count its calls.
constexpr std::uint64_t kElusive = 3;

}  // namespace

bool MetFailures::is_silenced(const Suspect& suspect, std::uint64_t key) const {
  if (suspect.implementation >= kMaxImplementations) return false;
  return silenced_.holds(key, suspect.c, suspect.silenced_place);
}

void MetFailures::no_longer_waits(const Suspect& suspect, std::uint64_t key) {
  if (suspect.silenced_place >= 0) waiting_.remove(key);
}

bool MetFailures::note(Suspect& suspect, std::uint64_t key) {
  if (is_silenced(suspect, key)) {
    ++duplicates_;
    return false;
  }
  if (suspect.implementation >= kMaxImplementations) return true;
  suspect.silenced_place = silenced_.add(key, traits(suspect.c));
  if (suspect.silenced_place < 0) {
    ++untracked_;
    return false;
  }
  waiting_.add(key);
  return true;
}

bool MetFailures::take_up(const Suspect& suspect, std::uint64_t key) {
  no_longer_waits(suspect, key);
  if (is_silenced(suspect, key)) {
    ++duplicates_;
    silenced_.drop(suspect.silenced_place);
    return false;
  }
  // Nothing would keep similar failures from being examined again and again.
  if (suspect.silenced_place < 0 && silenced_.full()) {
    ++untracked_;
    return false;
  }
  return true;
}

void MetFailures::abandon(const Suspect& suspect, std::uint64_t key) {
  no_longer_waits(suspect, key);
  silenced_.drop(suspect.silenced_place);
}

bool MetFailures::count_repeat(std::uint64_t key, std::int64_t least_elements) {
  ++duplicates_;
  // Many different cases shrink to this one failure: no more of its key are examined.
  const bool are_many = ++repeats_[key] >= kMaxRepeats;
  if (are_many) silenced_.add(key, {}, least_elements);
  return are_many;
}

void MetFailures::note_unconfirmed(std::uint64_t key, Kind kind) {
  ++unconfirmed_;
  const std::uint64_t met = ++unconfirmed_keys_[key];
  if (met == kElusive && !may_be_the_machine(kind)) ++elusive_;
  if (met == kMaxUnconfirmed) silenced_.add(key, {});
}

void MetFailures::explain(std::uint64_t key, Kind kind) {
  const auto met = unconfirmed_keys_.extract(key);
  if (!met) return;
  unconfirmed_ -= met.mapped();
  if (met.mapped() >= kElusive && !may_be_the_machine(kind)) --elusive_;
}

}  // namespace indexfuzz
