#pragma once
// Which dtypes an implementation does not support, learned from its refusals.

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "case/case.h"
#include "memory/region.h"

namespace indexfuzz {

/// A hash of what support depends on: form, dtypes of all operands, flags. Never 0.
std::uint64_t support_key(const Case& c);

/// Which keys one implementation has refused as unsupported. An exception costs as much as ten
/// calls, so that a case with such a key is not run, except one in 64, which shows whether support
/// depends on more than the key. Cases that are not run count as unsupported. Takes nothing from
/// the heap, whose growth is watched.
class SupportTable {
 public:
  bool should_skip(std::uint64_t key);
  void note_unsupported(std::uint64_t key);
  /// The key is never skipped again.
  void note_supported(std::uint64_t key);

 private:
  static constexpr std::size_t kEntries = 8192;  // a power of two
  struct Entry {
    std::uint64_t key = 0;
    std::uint32_t skipped = 0;
    bool mixed = false;
  };
  static std::size_t home_of(std::uint64_t key) { return key & (kEntries - 1); }
  Entry* entries() { return reinterpret_cast<Entry*>(memory_->begin()); }
  Entry* find(std::uint64_t key);

  std::optional<Region> memory_;  ///< mapped with the first key: many processes run only one case
  /// Which entries hold a key: nearly every lookup finds none, and this set fits into the nearest
  /// cache.
  std::bitset<kEntries> taken_;
};

}  // namespace indexfuzz
