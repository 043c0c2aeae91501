#include "campaign/examine/known_failures.h"

#include <algorithm>

namespace indexfuzz {
namespace {

/// No failure's key: of an entry that was dropped.
constexpr std::uint64_t kNoKey = 0;

}  // namespace

int KnownFailures::add(std::uint64_t key, const TraitSet& traits) {
  const std::uint32_t count = memory_.known_count.load();
  KnownFailure* const end = memory_.known + count;
  KnownFailure* const place = std::find_if(
      memory_.known, end, [](const KnownFailure& known) { return known.key == kNoKey; });
  if (place == memory_.known + kMaxKnownFailures) return -1;
  place->trait_count =
      static_cast<std::uint8_t>(std::min<std::size_t>(traits.size(), std::size(place->traits)));
  std::copy_n(traits.begin(), place->trait_count, place->traits);
  // Workers read meanwhile: the key comes last.
  std::atomic_ref(place->key).store(key, std::memory_order_release);
  if (place == end) memory_.known_count.store(count + 1, std::memory_order_release);
  return static_cast<int>(place - memory_.known);
}

void KnownFailures::drop(int place) {
  if (place >= 0)
    std::atomic_ref(memory_.known[place].key).store(kNoKey, std::memory_order_release);
}

bool KnownFailures::holds(std::uint64_t key, const TraitSet& all, int except) const {
  return memory_.known_count.load() == kMaxKnownFailures ||
         is_known_failure(memory_, key, all, except);
}

}  // namespace indexfuzz
