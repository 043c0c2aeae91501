#include "campaign/examine/known_failures.h"

#include <algorithm>
#include <atomic>
#include <span>

namespace indexfuzz {
namespace {

/// Changes an entry that workers may be reading.
template <typename Change>
void write(KnownFailure& known, const Change& change) {
  known.version.fetch_add(1, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_release);
  change(known);
  known.version.fetch_add(1, std::memory_order_release);
}

}  // namespace

int KnownFailures::free_place() const {
  // A kernel may have written over the count.
  const auto count = std::min<std::uint32_t>(list_.count.load(), kMaxKnownFailures);
  const auto all = std::span(list_.entries).first(count);
  const auto is_free = [](const KnownFailure& known) { return known.key == kNoKey; };
  return static_cast<int>(std::ranges::find_if(all, is_free) - all.begin());
}

int KnownFailures::add(std::uint64_t key, const TraitSet& traits, std::int64_t least_elements) {
  const int place = free_place();
  if (place == kMaxKnownFailures) return -1;
  write(list_.entries[place], [&](KnownFailure& known) {
    known.key = key;
    known.trait_count = static_cast<std::uint8_t>(traits.size());
    std::ranges::copy(traits, known.traits);
    known.least_elements = least_elements;
  });
  const auto count = static_cast<std::uint32_t>(place) + 1;
  if (count > list_.count.load()) list_.count.store(count, std::memory_order_release);
  return place;
}

void KnownFailures::drop(int place) {
  if (place >= 0) write(list_.entries[place], [](KnownFailure& known) { known.key = kNoKey; });
}

bool KnownFailures::holds(std::uint64_t key, const Case& c, int except) const {
  return is_known_failure(list_, key, c, except);
}

}  // namespace indexfuzz
