#pragma once
// How inputs that reached something new travel: from a child of the coverage engine to the
// supervisor, which keeps them, and from there to every child, also after a restart.

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "case/bytes.h"

namespace indexfuzz {

inline constexpr std::uint32_t kPoolCases = 1 << 15;
inline constexpr std::size_t kPoolBytes = 16 << 20;
inline constexpr std::uint64_t kFoundCases = 128;

/// All inputs that are kept, of all operators. Only the supervisor writes; entries stay as they
/// are, except `deadly`.
struct CasePool {
  struct Entry {
    std::uint32_t place;  ///< in `bytes`
    std::uint16_t size;
    std::uint16_t op;
    /// 1: a child died on it, and no other child is given it.
    std::atomic<std::uint8_t> deadly;
  };
  std::atomic<std::uint32_t> count;
  Entry entries[kPoolCases];
  std::byte bytes[kPoolBytes];
};

/// How much of a pool is filled. The supervisor keeps it in its own memory, since a kernel may
/// overwrite what the children share.
struct Pooled {
  std::uint32_t count = 0;
  std::uint32_t bytes = 0;
};

/// False if the pool is full.
inline bool add_to_pool(CasePool& pool, Pooled& pooled, std::uint16_t op,
                        std::span<const std::byte> encoded) {
  if (pooled.count == kPoolCases || kPoolBytes - pooled.bytes < encoded.size()) return false;
  CasePool::Entry& entry = pool.entries[pooled.count];
  entry.place = pooled.bytes;
  entry.size = static_cast<std::uint16_t>(encoded.size());
  entry.op = op;
  std::memcpy(pool.bytes + pooled.bytes, encoded.data(), encoded.size());
  pooled.bytes += static_cast<std::uint32_t>(encoded.size());
  pool.count.store(++pooled.count, std::memory_order_release);
  return true;
}
inline std::span<const std::byte> bytes_of(const CasePool& pool, std::uint32_t entry) {
  return {pool.bytes + pool.entries[entry].place, pool.entries[entry].size};
}

/// The cases that a child has found and the supervisor has not taken yet.
struct FoundCases {
  struct Found {
    std::uint32_t size;
    std::byte bytes[kEncodedBytes];
  };
  std::atomic<std::uint64_t> written;  ///< by the child
  std::atomic<std::uint64_t> taken;    ///< by the supervisor
  Found cases[kFoundCases];            ///< number i at i modulo kFoundCases
};

/// False if there is no room before the supervisor takes some, or if this is no encoded case.
inline bool offer_found(FoundCases& found, std::span<const std::byte> encoded) {
  const std::uint64_t written = found.written.load(std::memory_order_relaxed);
  const std::uint64_t taken = found.taken.load(std::memory_order_acquire);
  if (written - taken >= kFoundCases || encoded.empty() || encoded.size() > kEncodedBytes)
    return false;
  FoundCases::Found& place = found.cases[written % kFoundCases];
  place.size = static_cast<std::uint32_t>(encoded.size());
  std::memcpy(place.bytes, encoded.data(), encoded.size());
  found.written.store(written + 1, std::memory_order_release);
  return true;
}

/// The next case that was found, or nothing; valid until drop_found(). Nothing, and all are
/// dropped, if a kernel has written over their numbers.
inline std::span<const std::byte> next_found(FoundCases& found) {
  const std::uint64_t taken = found.taken.load(std::memory_order_relaxed);
  const std::uint64_t written = found.written.load(std::memory_order_acquire);
  if (written - taken > kFoundCases) found.taken.store(written, std::memory_order_release);
  if (written == taken || written - taken > kFoundCases) return {};
  const FoundCases::Found& place = found.cases[taken % kFoundCases];
  return {place.bytes, std::min<std::size_t>(place.size, kEncodedBytes)};
}
inline void drop_found(FoundCases& found) {
  found.taken.fetch_add(1, std::memory_order_release);
}

}  // namespace indexfuzz
