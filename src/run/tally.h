#pragma once
// What a child counts, in the memory that it shares with the supervisor.

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>

namespace indexfuzz {

inline constexpr int kElementBuckets = 256 + 24;

/// What one implementation made of one operator's cases.
struct Tally {
  std::atomic<std::uint64_t> agreed;
  std::atomic<std::uint64_t>
      refused;  ///< legitimately: illegal cases, and a custom kernel's narrowing
  std::atomic<std::uint64_t> narrowed;     ///< of them, legal cases refused by a custom kernel
  std::atomic<std::uint64_t> unsupported;  ///< "not implemented for" this dtype
  std::atomic<std::uint64_t> vacuous;
  std::atomic<std::uint64_t> steered;      ///< not run: too much like what is already found
  std::atomic<std::uint64_t> passed_over;  ///< not run: a custom kernel refuses the like
  std::atomic<std::uint64_t> findings;     ///< failing cases, duplicates included
  /// Of the latest legal cases without a trait by which a custom kernel narrows itself, the share
  /// that it took; run/narrowing.h.
  std::atomic<double> taken_share;
  /// Of the legal cases that it has refused since it took the last one, how many it would have
  /// taken by that share.
  std::atomic<double> refused_in_a_row;
};

/// What was drawn; cases, not calls.
struct Mix {
  std::atomic<std::uint64_t> cases;
  std::atomic<std::uint64_t> empty;    ///< the result, or everything written, has no element
  std::atomic<std::uint64_t> strided;  ///< some operand's layout is not contiguous
  std::atomic<std::uint64_t> expanded;
  std::atomic<std::uint64_t> overlapping;
  std::atomic<std::uint64_t> sampled;     ///< how many were looked at for the next
  std::atomic<std::uint64_t> duplicates;  ///< an index operand names a position twice
  std::atomic<std::uint64_t> illegal;
  /// Cases by the number of elements of their largest operand; written by `count_elements`.
  std::atomic<std::uint64_t> element_buckets[kElementBuckets];
};

/// Exact below 256 elements, by powers of two from there on.
inline int element_bucket(std::int64_t elements) {
  const auto count = static_cast<std::uint64_t>(elements);
  return count < 256
             ? static_cast<int>(count)
             : std::min(256 + static_cast<int>(std::bit_width(count)) - 9, kElementBuckets - 1);
}
/// Only the child's calling thread counts.
inline void count_elements(Mix& mix, std::int64_t largest_operand) {
  std::atomic<std::uint64_t>& bucket = mix.element_buckets[element_bucket(largest_operand)];
  bucket.store(bucket.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

/// What calls on GPUs took; by all children of a slot.
struct GpuCounters {
  std::atomic<std::uint64_t> calls, fetched, batches, copies, synchronizations;
  /// The calling thread's, but for `preparing`; run/device/device_times.h names the phases.
  std::atomic<std::uint64_t> waiting_us, placing_us, calling_us, checking_us, judging_us,
      reporting_us, metering_us, preparing_us;
};

}  // namespace indexfuzz
