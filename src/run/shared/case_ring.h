#pragma once
// The last cases that a child of the coverage engine has run, in shared memory, where they survive
// SIGKILL. Property workers need no ring, since their cases can be drawn again.

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "case/bytes.h"
#include "ops/repair/repair.h"

namespace indexfuzz {

inline constexpr std::uint64_t kRingCases = 1024;

/// Written by one child, read by the supervisor while that child waits or has ended.
struct CaseRing {
  struct Record {
    std::atomic<std::uint64_t> number;  ///< of the case, plus 1; 0: nothing, or half written
    std::uint32_t pooled;               ///< 1 + its entry in the pool, if taken from there; else 0
    std::uint32_t size;                 ///< of `bytes`
    std::byte bytes[kEncodedBytes];     ///< as encode_short wrote them
  };
  Record records[kRingCases];  ///< case i at i modulo kRingCases
};

/// Notes a case that is about to run. `encoded`: as encode_short wrote it, except for the
/// environment, which is put in here; `pooled`: see Record.
inline void note_case(CaseRing& ring, std::uint64_t number, std::uint32_t pooled,
                      std::span<const std::byte> encoded, const Environment& environment) {
  CaseRing::Record& record = ring.records[number % kRingCases];
  record.number.store(0, std::memory_order_release);
  record.pooled = pooled;
  record.size = static_cast<std::uint32_t>(encoded.size());
  std::ranges::copy(encoded, record.bytes);
  put_environment(environment, {record.bytes, encoded.size()});
  record.number.store(number + 1, std::memory_order_release);
}

/// The record of a case; null if the ring does not hold it (any more).
inline const CaseRing::Record* find_case(const CaseRing& ring, std::uint64_t number) {
  const CaseRing::Record& record = ring.records[number % kRingCases];
  return record.number.load(std::memory_order_acquire) == number + 1 ? &record : nullptr;
}

/// The case of a record; sound and legal even if a kernel has overwritten the record.
inline Case case_of(const CaseRing::Record& record) {
  Case c = decode({record.bytes, std::min<std::size_t>(record.size, kEncodedBytes)});
  repair(c, {});
  return c;
}

}  // namespace indexfuzz
