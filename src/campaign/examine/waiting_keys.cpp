#include "campaign/examine/waiting_keys.h"

#include <utility>

namespace indexfuzz {
namespace {

constexpr int kMost = 2;

}  // namespace

void WaitingKeys::add(std::uint64_t key) {
  Waiting& waiting = waiting_[key];
  if (++waiting.count == kMost) waiting.silenced_place = silenced_.add(key, {});
}

void WaitingKeys::remove(std::uint64_t key) {
  const auto waiting = waiting_.find(key);
  if (waiting == waiting_.end()) return;
  silenced_.drop(std::exchange(waiting->second.silenced_place, -1));
  if (--waiting->second.count == 0) waiting_.erase(waiting);
}

}  // namespace indexfuzz
