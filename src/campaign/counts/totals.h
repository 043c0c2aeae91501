#pragma once
// What all workers of a campaign have counted so far.

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "campaign/hello.h"
#include "run/shared/protocol.h"

namespace indexfuzz {

/// The sums of the Tally fields of one implementation and operator over all workers.
struct PairTotals {
  std::uint64_t agreed = 0;
  std::uint64_t refused = 0;
  std::uint64_t narrowed = 0;
  std::uint64_t unsupported = 0;
  std::uint64_t vacuous = 0;
  std::uint64_t findings = 0;
  std::uint64_t steered = 0;
  std::uint64_t passed_over = 0;
  /// Cases in which an element was judged or a refusal was demanded.
  std::uint64_t judged() const { return agreed + (refused - narrowed) + findings; }
};
/// What people are shown as "skipped": the cases that were not run, of an unsupported dtype or
/// vacuous (Tally).
std::uint64_t skipped(const PairTotals& totals);
PairTotals operator+(const PairTotals& a, const PairTotals& b);
/// Indexed by an implementation's place in the hello and an operator's place in operators().
using PairTable = std::vector<std::array<PairTotals, kMaxOperators>>;

struct MixTotals {
  std::uint64_t cases = 0, empty = 0, strided = 0, expanded = 0, overlapping = 0, illegal = 0;
  std::uint64_t sampled = 0, duplicates = 0;  ///< cases searched for duplicates, and those with any
  std::array<std::uint64_t, kElementBuckets> element_buckets{};
};
/// The median of the elements of a case's largest operand; from 256 on rounded down to 2^n.
std::uint64_t median_elements(const MixTotals& mix);

/// What calls on GPUs cost.
struct GpuTotals {
  std::uint64_t calls = 0, fetched = 0, batches = 0, copies = 0, synchronizations = 0;
  // Seconds.
  double waiting = 0, placing = 0, calling = 0, checking = 0, judging = 0, reporting = 0,
         metering = 0, preparing = 0;
};

/// How many legal cases with a trait a kernel took, and how many it would have taken if the trait
/// did not matter; run/shared/refused_traits.h.
struct TraitTotals {
  double taken = 0, expected = 0;
  std::uint64_t held = 0;  ///< cases with the trait on which a kernel with a contract agreed
};

struct Totals {
  PairTable implementations;
  std::map<TraitOf, TraitTotals> traits;
  std::vector<std::string> refusals;  ///< each implementation's first refusal of a legal case
  MixTotals mix;
  GpuTotals gpu;
  std::uint64_t cases = 0;  ///< judged, counted once per implementation
};

/// Adds up the first `workers` slots and `own`, what this process has counted itself, with a row
/// for every implementation. The children may go on counting meanwhile.
Totals add_up(const SharedMemory& memory, int workers, PairTable own);
PairTotals sum(const std::array<PairTotals, kMaxOperators>& operators);

/// Finite also if no time has passed.
double cases_per_second(std::uint64_t cases, double seconds);

/// The sum over all implementations and operators.
PairTotals sum(const Totals& totals);
/// The share of the steered cases among all cases except those passed over.
double steered_share(const PairTotals& totals);

/// An operator that an implementation has and that was asked for.
struct TestedPair {
  std::size_t implementation;
  std::size_t op;  ///< place in operators()
};
/// The pairs of the named operators; of all operators if none is named.
std::vector<TestedPair> existing_pairs(const Hello& hello, std::span<const std::string> operators);
/// In words, the traits by which a custom kernel narrows itself.
std::vector<std::string> refused_traits(const Totals& totals, const TestedPair& pair);

}  // namespace indexfuzz
