#include "run/session/narrowing.h"

#include <algorithm>
#include <boost/container/static_vector.hpp>

#include "case/number.h"
#include "ops/definition/operator.h"

namespace indexfuzz {
namespace {

/// If one trait of a case lets a refusal be expected, one such case in kOneIn runs all the same, so
/// that a conclusion from too few cases is noticed; if several traits do, one in kOneInOfMore.
constexpr std::uint64_t kOneIn = 16, kOneInOfMore = 256;
/// The weight of the latest case in the share of its cases that a kernel takes.
constexpr double kLatest = 1.0 / 256;
/// The weight of the first refusal against the cases taken before it, of which nothing was noted: a
/// few taken cases tell little about a kernel that takes hardly any.
constexpr double kFirstRefusal = 20;
/// Too many refusals in a row, counted by how many of them should have been taken: chance gives as
/// many once in 10^8 rows.
constexpr double kTooManyInARow = 20;
/// How many places are probed for an entry.
constexpr std::size_t kPlaces = 64;

using Entry = RefusedTraits::Entry;

std::uint32_t number_for(std::size_t implementation, int op, Trait trait) {
  return number_of(
      {static_cast<std::uint8_t>(implementation), static_cast<std::uint8_t>(op), trait});
}

/// The entry of the trait with this number, or the free one where it belongs; null if there is no
/// room.
template <typename Table>
auto find(Table& table, std::uint32_t number) -> decltype(&table.entries[0]) {
  const std::size_t first = number * 0x9E3779B1u >> 8;
  for (std::size_t k = 0; k < kPlaces; ++k) {
    auto& entry = table.entries[(first + k) % RefusedTraits::kEntries];
    const std::uint32_t there = entry.of.load(std::memory_order_acquire);
    if (there == number || there == 0) return &entry;
  }
  return nullptr;
}

bool is_refused(const Entry& entry) {
  return narrows(entry.taken.load(std::memory_order_relaxed),
                 entry.expected.load(std::memory_order_relaxed));
}

void add(std::atomic<double>& sum, double value) {
  sum.store(sum.load(std::memory_order_relaxed) + value, std::memory_order_relaxed);
}

/// By how many of the case's traits the implementation narrows itself; `narrows(number)` tells it
/// for one trait.
template <typename Narrows>
int count_reasons(std::size_t implementation, const Case& c, Narrows&& narrows) {
  int reasons = 0;
  for (const Trait trait : traits_and_ranks(c))
    reasons += narrows(number_for(implementation, place_of(c.op), trait)) ? 1 : 0;
  return reasons;
}

int reasons_to_refuse(const Slot& slot, std::size_t implementation, const Case& c) {
  const Tally& tally = slot.tallies[implementation][place_of(c.op)];
  if (tally.narrowed.load(std::memory_order_relaxed) == 0) return 0;
  return count_reasons(implementation, c, [&](std::uint32_t number) {
    const Entry* const entry = find(slot.refused_traits, number);
    return entry != nullptr && entry->of.load(std::memory_order_relaxed) == number &&
           is_refused(*entry);
  });
}

bool passes_over(int reasons, std::size_t implementation, std::uint64_t number) {
  if (reasons == 0) return false;
  return hash1(number, implementation) % (reasons == 1 ? kOneIn : kOneInOfMore) != 0;
}

}  // namespace

void note_legal_call(Slot& slot, std::size_t implementation, const Case& c, bool refused) {
  const int op = place_of(c.op);
  Tally& tally = slot.tallies[implementation][op];
  boost::container::static_vector<Entry*, TraitSet::static_capacity> noted, narrowing;
  for (const Trait trait : traits_and_ranks(c)) {
    const std::uint32_t number = number_for(implementation, op, trait);
    Entry* const entry = find(slot.refused_traits, number);
    if (entry == nullptr) continue;
    entry->of.store(number, std::memory_order_release);
    noted.push_back(entry);
    if (is_refused(*entry)) narrowing.push_back(entry);
  }
  double share = tally.taken_share.load(std::memory_order_relaxed);
  if (refused && share == 0) {
    const auto taken = static_cast<double>(tally.agreed.load(std::memory_order_relaxed));
    share = taken / (taken + kFirstRefusal);
    tally.taken_share.store(share, std::memory_order_relaxed);
  }
  if (refused) {
    add(tally.refused_in_a_row, share);
  } else {
    tally.refused_in_a_row.store(0, std::memory_order_relaxed);
  }
  if (narrowing.empty()) {
    add(tally.taken_share, ((refused ? 0 : 1) - share) * kLatest);
  } else if (refused && narrowing.size() > 1) {
    return;  // any one of them explains it
  }
  for (Entry* const entry : narrowing.empty() ? noted : narrowing) {
    add(entry->expected, share);
    if (!refused) add(entry->taken, 1);
  }
}

void note_held(Slot& slot, std::size_t implementation, const Case& c) {
  for (const Trait trait : traits_and_ranks(c)) {
    const std::uint32_t number = number_for(implementation, place_of(c.op), trait);
    Entry* const entry = find(slot.refused_traits, number);
    if (entry == nullptr) continue;
    entry->of.store(number, std::memory_order_release);
    entry->held.fetch_add(1, std::memory_order_relaxed);
  }
}

bool has_stopped_taking(Slot& slot, std::size_t implementation, const Case& latest) {
  Tally& tally = slot.tallies[implementation][place_of(latest.op)];
  if (tally.refused_in_a_row.load(std::memory_order_relaxed) < kTooManyInARow) return false;
  tally.refused_in_a_row.store(0, std::memory_order_relaxed);
  return true;
}

bool expects_refusal(const Slot& slot, std::size_t implementation, const Case& c) {
  return reasons_to_refuse(slot, implementation, c) > 0;
}

bool is_passed_over(const Slot& slot, std::size_t implementation, std::uint64_t number,
                    const Case& c) {
  return passes_over(reasons_to_refuse(slot, implementation, c), implementation, number);
}

Narrowings narrowings(const Slot& slot) {
  Narrowings known;
  for (const Entry& entry : slot.refused_traits.entries) {
    const std::uint32_t number = entry.of.load(std::memory_order_relaxed);
    if (number != 0 && is_refused(entry)) known.push_back(number);
  }
  std::ranges::sort(known);
  return known;
}

bool is_passed_over(const Narrowings& known, std::size_t implementation, std::uint64_t number,
                    const Case& c) {
  if (known.empty()) return false;
  const int reasons = count_reasons(implementation, c, [&](std::uint32_t narrowing) {
    return std::ranges::binary_search(known, narrowing);
  });
  return passes_over(reasons, implementation, number);
}

}  // namespace indexfuzz
