#pragma once
// What a child counts in the memory that it shares with the supervisor.

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>

#include "judge/verdict.h"

namespace indexfuzz {

inline constexpr int kElementBuckets = 256 + 24;

/// How one implementation fared on the cases of one operator. Cases that were called count as
/// agreed, refused, unsupported, vacuous or findings. Three counters hold cases that were not
/// called:
/// - steered: like a known failure, which Steering::turns_away() tells, or of an operator that is
///   set aside on a GPU for a while (SharedMemory::set_aside);
/// - passed_over: a custom kernel narrows itself by a trait of the case (is_passed_over()), or
///   calls on tables take the implementation too long (SharedMemory::slow_on_tables);
/// - unsupported: also counts cases whose dtypes the implementation has refused before
///   (SupportTable), and cases too large for the buffers of a GPU.
/// People are shown the sum of unsupported, vacuous, steered and passed_over as "skipped"
/// (campaign/counts/totals.h).
struct Tally {
  std::atomic<std::uint64_t> agreed;
  /// Refused as they may be: illegal cases and, as `narrowed`, legal ones.
  std::atomic<std::uint64_t> refused;
  /// Among these: a custom kernel refused the legal case, or the legal base of an illegal one.
  std::atomic<std::uint64_t> narrowed;
  std::atomic<std::uint64_t> unsupported;  ///< "not implemented for" this dtype
  std::atomic<std::uint64_t> vacuous;
  std::atomic<std::uint64_t> steered;
  std::atomic<std::uint64_t> passed_over;
  std::atomic<std::uint64_t> findings;  ///< failing cases, duplicates included
  /// The share of legal cases that a custom kernel takes, the latest counting most, among cases
  /// without a trait by which it narrows itself (run/session/narrowing.h).
  std::atomic<double> taken_share;
  /// Since the last legal case that was taken: the sum of `taken_share` over the refused ones,
  /// which is how many of them should have been taken.
  std::atomic<double> refused_in_a_row;
};

/// The counter for a case with this verdict, in a Tally or a sum of such. `illegal`: the case's
/// rule was applied. The caller also counts a refusal of a legal case as `narrowed`.
template <typename Counters>
auto& counter_of(Counters& counters, Status status, bool illegal) {
  switch (status) {
    case Status::kAgreed: return illegal ? counters.refused : counters.agreed;
    case Status::kVacuous: return counters.vacuous;
    case Status::kRefused: return counters.refused;
    case Status::kUnsupported: return counters.unsupported;
    case Status::kFinding: break;
  }
  return counters.findings;
}

/// What was drawn; cases, not calls.
struct Mix {
  std::atomic<std::uint64_t> cases;
  std::atomic<std::uint64_t> empty;    ///< the result, or everything written, has no element
  std::atomic<std::uint64_t> strided;  ///< some operand's layout is not contiguous
  std::atomic<std::uint64_t> expanded;
  std::atomic<std::uint64_t> overlapping;
  std::atomic<std::uint64_t> sampled;     ///< cases in which `duplicates` were looked for
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
/// Only for the child's calling thread.
inline void count_elements(Mix& mix, std::int64_t largest_operand) {
  std::atomic<std::uint64_t>& bucket = mix.element_buckets[element_bucket(largest_operand)];
  bucket.store(bucket.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

/// Counts and times of the calls on GPUs, over all children of a slot.
struct GpuCounters {
  std::atomic<std::uint64_t> calls, fetched, batches, copies, synchronizations;
  /// Times of the calling thread, except `preparing_us`; run/device/device_times.h names the
  /// phases.
  std::atomic<std::uint64_t> waiting_us, placing_us, calling_us, checking_us, judging_us,
      reporting_us, metering_us, preparing_us;
};

}  // namespace indexfuzz
