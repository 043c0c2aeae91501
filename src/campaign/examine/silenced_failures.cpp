#include "campaign/examine/silenced_failures.h"

#include <algorithm>
#include <atomic>
#include <span>

namespace indexfuzz {
namespace {

/// Changes an entry that workers may be reading.
template <typename Change>
void write(SilencedFailure& failure, const Change& change) {
  failure.version.fetch_add(1, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_release);
  change(failure);
  failure.version.fetch_add(1, std::memory_order_release);
}

}  // namespace

int SilencedFailures::free_place() const {
  // A kernel may have written over the count.
  const auto count = std::min<std::uint32_t>(list_.count.load(), kMaxSilenced);
  const auto all = std::span(list_.entries).first(count);
  const auto is_free = [](const SilencedFailure& failure) { return failure.key == kNoKey; };
  return static_cast<int>(std::ranges::find_if(all, is_free) - all.begin());
}

int SilencedFailures::add(std::uint64_t key, const TraitSet& traits, std::int64_t least_elements) {
  const int place = free_place();
  if (place == kMaxSilenced) return -1;
  write(list_.entries[place], [&](SilencedFailure& failure) {
    failure.key = key;
    failure.trait_count = static_cast<std::uint8_t>(traits.size());
    std::ranges::copy(traits, failure.traits);
    failure.least_elements = least_elements;
  });
  const auto count = static_cast<std::uint32_t>(place) + 1;
  if (count > list_.count.load()) list_.count.store(count, std::memory_order_release);
  return place;
}

void SilencedFailures::drop(int place) {
  if (place >= 0)
    write(list_.entries[place], [](SilencedFailure& failure) { failure.key = kNoKey; });
}

bool SilencedFailures::holds(std::uint64_t key, const Case& c, int except) const {
  return is_silenced(list_, key, c, except);
}

}  // namespace indexfuzz
