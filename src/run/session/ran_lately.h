#pragma once
// Which implementations have run which of the latest cases.

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "run/shared/job.h"

namespace indexfuzz {

/// The implementations that have run each of the latest cases. When these cases are run again, an
/// implementation that passed one over, or was steered away from it, must not be called on it.
class RanLately {
 public:
  void note(std::uint64_t number, std::size_t implementation) {
    Entry& entry = entries_[number % kCases];
    if (entry.number != number) entry = {number, {}};
    entry.implementations.set(implementation);
  }
  bool has(std::uint64_t number, std::size_t implementation) const {
    const Entry& entry = entries_[number % kCases];
    return entry.number == number && entry.implementations.test(implementation);
  }

 private:
  /// Twice the number of cases between two looks for leaks.
  static constexpr std::size_t kCases = 8192;
  struct Entry {
    std::uint64_t number = UINT64_MAX;
    std::bitset<kMaxImplementations> implementations;
  };
  std::vector<Entry> entries_ = std::vector<Entry>(kCases);
};

}  // namespace indexfuzz
