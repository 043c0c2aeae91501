#include "campaign/examine/examine.h"

#include <algorithm>
#include <vector>

#include "judge/sharing.h"
#include "judge/signature.h"
#include "ops/operator.h"
#include "shrink/shrink.h"

namespace indexfuzz {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kCandidatesAtATime = 64;
// For candidates that have a process each: on a GPU few a second.
constexpr std::chrono::seconds kPatienceAlone{30};
// At a case that has passed, of a failure that shows now and then.
constexpr int kLooks = 3;

bool still_fails(Runner& runner, const Case& c, std::uint64_t key, const RunOptions& options) {
  return runner.first_failing(key, options)(std::span<const Case>(&c, 1)) == 0;
}

/// Whether the rule that it breaks has two of its operands in one memory.
bool shares_memory(Case c) {
  return apply_rule(c) && guest_of(c) >= 0;
}

}  // namespace

Case shrink_failure(Runner& runner, const Case& c, const Confirmation& confirmation,
                    const ExamineOptions& options) {
  const ImplementationInfo& implementation = runner.implementation(options.implementation);
  const std::uint64_t key = key_in(confirmation, c, implementation);
  const RunOptions candidate = candidate_options(options, confirmation);
  const bool is_rare = candidate.repeats > 1;
  auto limit = Clock::now() + options.shrink_limit;
  const FirstFailing run = runner.first_failing(key, candidate);
  // The place of the first one from `at` on. In parts, so that a slow kernel with many runs a
  // candidate does not overstep the limit.
  const auto find = [&](std::span<const Case> candidates, std::size_t at) {
    const std::size_t at_a_time = options.before.empty() ? kCandidatesAtATime : kApartAtATime;
    while (at < candidates.size() && Clock::now() < limit) {
      const auto part = candidates.subspan(at, std::min(at_a_time, candidates.size() - at));
      const int failing = run(part);
      if (failing >= 0) return static_cast<int>(at) + failing;
      at += part.size();
    }
    return -1;
  };
  const auto shrink_by = [&](const FirstFailing& first) {
    Case minimal = shrink(c, options.limits, first);
    // Where it fails now and then, a smaller case may have passed by chance.
    for (bool again = is_rare; again;) {
      Case smaller = shrink(minimal, options.limits, first);
      again = smaller != minimal;
      minimal = std::move(smaller);
    }
    return minimal;
  };
  Case minimal = shrink_by([&](std::span<const Case> candidates) { return find(candidates, 0); });
  RunOptions alone = run_options(options, confirmation);
  alone.own_process = true;
  // In as many runs as it takes: what counts calls may have failed as a candidate for the others
  // before it.
  alone.repeats = patient_repeats(confirmation);
  // A process of its own costs seconds on a GPU, and a hang its time anywhere.
  const bool is_costly = implementation.on_gpu() || options.kind == Kind::kHang;
  const auto holds = [&](const Case& candidate, const RunOptions& how) {
    const auto fails = [&](const Verdict& v) {
      return key_of(candidate, v, implementation) == key;
    };
    const auto verdicts = runner.run_copies(candidate, is_costly && !is_rare ? 1 : kLooks, how);
    return !verdicts.empty() &&
           (is_rare ? std::ranges::any_of(verdicts, fails) : std::ranges::all_of(verdicts, fails));
  };
  if (minimal == c || runner.interrupted() || holds(minimal, alone)) return minimal;
  // It fails only after others of its batch, or now and then where the case itself always does:
  // then no step is taken that does not hold.
  limit = std::min(limit, Clock::now() + kPatienceAlone);
  RunOptions step_alone = candidate;
  step_alone.own_process = true;
  step_alone.repeats = alone.repeats;
  return shrink_by([&](std::span<const Case> candidates) {
    for (int at = find(candidates, 0); at >= 0;
         at = find(candidates, static_cast<std::size_t>(at) + 1)) {
      if (holds(candidates[static_cast<std::size_t>(at)], step_alone)) return at;
    }
    return -1;
  });
}

TraitSet essential_traits(Runner& runner, const Case& minimal, const Confirmation& confirmation,
                          const ExamineOptions& options) {
  const ImplementationInfo& implementation = runner.implementation(options.implementation);
  const std::uint64_t key = key_in(confirmation, minimal, implementation);
  const RunOptions run = candidate_options(options, confirmation);
  // A failure has one name, whichever dtypes a campaign draws.
  Limits limits = options.limits;
  limits.dtypes = kAllDtypes;
  TraitSet essential;
  // So rare a failure is missed by most candidates that have it: what passes tells nothing.
  if (fails_too_rarely(confirmation)) return essential;
  const bool shares = shares_memory(minimal);
  for (const Trait trait : traits(minimal)) {
    // Which bytes are overwritten decides whether it shows, not why it happens.
    if (shares && tells_of_elements(trait)) continue;
    Case plain = reset(minimal, trait);
    repair(plain, limits);
    // What cannot be taken away alone tells nothing.
    if (includes(traits(plain), TraitSet{trait})) continue;
    if (runner.interrupted()) break;
    const auto verdicts = runner.run_in_one_process(std::span<const Case>(&plain, 1), run);
    const Verdict* const seen = verdicts.empty() ? nullptr : &verdicts.front();
    if (seen != nullptr && key_of(plain, *seen, implementation) == key) continue;
    // A case that the kernel does not take tells nothing either.
    const bool taken = seen == nullptr ||
                       (seen->status != Status::kRefused && seen->status != Status::kUnsupported);
    if (taken) essential.push_back(trait);
  }
  // Taken from one operand alone, its rank is no longer that of the others: another matter.
  const TraitSet ranks = zero_dimensional(essential);
  if (ranks.empty()) return essential;
  Case plain = minimal;
  for (const Trait rank : zero_dimensional(traits(minimal))) plain = reset(plain, rank);
  repair(plain, limits);
  // A number has no dimension in any case.
  const TraitSet left = zero_dimensional(traits(plain));
  const auto stays = [&](Trait one) { return includes(left, TraitSet{one}); };
  if (std::ranges::none_of(ranks, stays) && still_fails(runner, plain, key, run)) {
    const auto rest = std::ranges::remove_if(
        essential, [&](Trait one) { return includes(ranks, TraitSet{one}); });
    essential.erase(rest.begin(), rest.end());
  }
  return essential;
}

bool needs_base(Runner& runner, const Case& minimal, const Confirmation& confirmation,
                const ExamineOptions& options) {
  const ImplementationInfo& implementation = runner.implementation(options.implementation);
  if (minimal.breaks == 0 || !implementation.custom || runner.interrupted()) return false;
  RunOptions run = run_options(options, confirmation);
  run.without_base = run.own_process = true;
  return !still_fails(runner, minimal, key_in(confirmation, minimal, implementation), run);
}

Verdict verdict_on(Runner& runner, const Case& c, const Confirmation& confirmation,
                   const ExamineOptions& options) {
  // A hang tells nothing that would be worth its waiting time.
  if (options.kind == Kind::kHang) return confirmation.verdict;
  const ImplementationInfo& implementation = runner.implementation(options.implementation);
  const std::uint64_t key = key_in(confirmation, c, implementation);
  const auto verdicts =
      runner.run_in_one_process(std::span<const Case>(&c, 1), run_options(options, confirmation));
  const bool same = !verdicts.empty() && key_of(c, verdicts.front(), implementation) == key;
  if (same) return verdicts.front();
  Verdict verdict = confirmation.verdict;
  if (verdict.kind == Kind::kValue && verdict.element >= 0) {
    // That is an element of the case that was confirmed.
    verdict.element = -1;
    verdict.wrong_elements = verdict.value_bytes = 0;
    verdict.message = {};
  }
  return verdict;
}

}  // namespace indexfuzz
