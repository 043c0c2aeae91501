#include "campaign/counts/totals.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "judge/signature.h"
#include "ops/definition/operator.h"
#include "run/shared/text_in.h"

namespace indexfuzz {
namespace {

PairTotals read(const Tally& tally) {
  // In this order: a child counts `refused` before `narrowed`, and their difference must not be
  // negative.
  PairTotals totals;
  totals.narrowed = tally.narrowed.load();
  totals.refused = std::max(tally.refused.load(), totals.narrowed);
  totals.agreed = tally.agreed.load();
  totals.unsupported = tally.unsupported.load();
  totals.vacuous = tally.vacuous.load();
  totals.findings = tally.findings.load();
  totals.steered = tally.steered.load();
  totals.passed_over = tally.passed_over.load();
  return totals;
}

void add(MixTotals& totals, const Mix& mix) {
  totals.cases += mix.cases.load();
  totals.empty += mix.empty.load();
  totals.strided += mix.strided.load();
  totals.expanded += mix.expanded.load();
  totals.overlapping += mix.overlapping.load();
  totals.sampled += mix.sampled.load();
  totals.duplicates += mix.duplicates.load();
  totals.illegal += mix.illegal.load();
  for (int b = 0; b < kElementBuckets; ++b) {
    totals.element_buckets[static_cast<std::size_t>(b)] += mix.element_buckets[b].load();
  }
}

void add(GpuTotals& totals, const GpuCounters& counters) {
  const auto seconds = [](const std::atomic<std::uint64_t>& us) {
    return static_cast<double>(us.load()) / 1e6;
  };
  totals.calls += counters.calls.load();
  totals.fetched += counters.fetched.load();
  totals.batches += counters.batches.load();
  totals.copies += counters.copies.load();
  totals.synchronizations += counters.synchronizations.load();
  totals.waiting += seconds(counters.waiting_us);
  totals.placing += seconds(counters.placing_us);
  totals.calling += seconds(counters.calling_us);
  totals.checking += seconds(counters.checking_us);
  totals.judging += seconds(counters.judging_us);
  totals.reporting += seconds(counters.reporting_us);
  totals.metering += seconds(counters.metering_us);
  totals.preparing += seconds(counters.preparing_us);
}

void add(std::map<TraitOf, TraitTotals>& totals, const RefusedTraits& table) {
  for (const RefusedTraits::Entry& entry : table.entries) {
    const std::uint32_t of = entry.of.load(std::memory_order_acquire);
    if (of == 0) continue;
    TraitTotals& trait = totals[trait_of(of)];
    trait.taken += entry.taken.load();
    trait.expected += entry.expected.load();
    trait.held += entry.held.load();
  }
}

/// A trait in words. Overloads may have other names for it, and which one was called is not known:
/// "shift > 0 or first_shift > 0".
std::string under_all_names(const OperatorInfo& op, Trait trait) {
  std::vector<std::string> all;
  Case named;
  named.op = op.number;
  for (std::size_t overload = 0; overload < op.overloads.size(); ++overload) {
    named.overload = static_cast<std::uint8_t>(overload);
    if (!has_subject(named, trait)) continue;
    std::string words = describe(trait, named);
    if (std::ranges::find(all, words) == all.end()) all.push_back(std::move(words));
  }
  return fmt::format("{}", fmt::join(all, " or "));
}

}  // namespace

PairTotals operator+(const PairTotals& a, const PairTotals& b) {
  return {a.agreed + b.agreed,           a.refused + b.refused,        a.narrowed + b.narrowed,
          a.unsupported + b.unsupported, a.vacuous + b.vacuous,        a.findings + b.findings,
          a.steered + b.steered,         a.passed_over + b.passed_over};
}

std::uint64_t skipped(const PairTotals& totals) {
  return totals.unsupported + totals.vacuous + totals.steered + totals.passed_over;
}

std::uint64_t median_elements(const MixTotals& mix) {
  const auto& buckets = mix.element_buckets;
  const std::uint64_t all = std::accumulate(buckets.begin(), buckets.end(), std::uint64_t{0});
  std::uint64_t seen = 0;
  for (std::size_t b = 0; b < buckets.size(); ++b) {
    seen += buckets[b];
    if (seen * 2 >= all && all > 0) return b < 256 ? b : std::uint64_t{256} << (b - 256);
  }
  return 0;
}

Totals add_up(const SharedMemory& memory, int workers, PairTable own) {
  Totals totals;
  totals.implementations = std::move(own);
  totals.refusals.resize(totals.implementations.size());
  for (int w = 0; w < workers; ++w) {
    const Slot& slot = memory.slots[w];
    add(totals.mix, slot.mix);
    add(totals.gpu, slot.gpu);
    add(totals.traits, slot.refused_traits);
    for (std::size_t i = 0; i < totals.implementations.size(); ++i) {
      const Slot::Refusal& refusal = slot.refusals[i];
      if (totals.refusals[i].empty() && refusal.said.load(std::memory_order_acquire) != 0)
        totals.refusals[i] = text_in(refusal.text);
      for (std::size_t op = 0; op < operators().size(); ++op) {
        auto& pair = totals.implementations[i][op];
        pair = pair + read(slot.tallies[i][op]);
      }
    }
  }
  for (const auto& implementation : totals.implementations)
    totals.cases += sum(implementation).judged();
  return totals;
}

PairTotals sum(const std::array<PairTotals, kMaxOperators>& operators) {
  return std::accumulate(operators.begin(), operators.end(), PairTotals{});
}

double cases_per_second(std::uint64_t cases, double seconds) {
  return static_cast<double>(cases) / std::max(seconds, 1e-3);
}

PairTotals sum(const Totals& totals) {
  PairTotals all;
  for (const auto& operators : totals.implementations) all = all + sum(operators);
  return all;
}

double steered_share(const PairTotals& totals) {
  const std::uint64_t run =
      totals.agreed + totals.refused + totals.unsupported + totals.vacuous + totals.findings;
  if (totals.steered == 0) return 0;
  return static_cast<double>(totals.steered) / static_cast<double>(run + totals.steered);
}

std::vector<TestedPair> existing_pairs(const Hello& hello, std::span<const std::string> names) {
  std::vector<TestedPair> pairs;
  for (std::size_t i = 0; i < hello.implementations.size(); ++i) {
    for (std::size_t op = 0; op < operators().size(); ++op) {
      const OperatorInfo& info = *operators()[op];
      if (!names.empty() && std::ranges::find(names, info.name) == names.end()) continue;
      if (has_operator(hello.implementations[i], info.number)) pairs.push_back({i, op});
    }
  }
  return pairs;
}

std::vector<std::string> refused_traits(const Totals& totals, const TestedPair& pair) {
  std::vector<std::string> words;
  for (const auto& [of, trait] : totals.traits) {
    if (of.implementation != pair.implementation || of.op != pair.op) continue;
    if (narrows(trait.taken, trait.expected))
      words.push_back(under_all_names(*operators()[pair.op], of.trait));
  }
  return words;
}

}  // namespace indexfuzz
