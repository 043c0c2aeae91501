#include "campaign/examine/minimize.h"

#include <algorithm>
#include <vector>

#include "judge/sharing.h"
#include "judge/signature.h"
#include "ops/definition/illegal_rule.h"
#include "ops/definition/operator.h"
#include "ops/repair/repair.h"
#include "shrink/shrink.h"

namespace indexfuzz {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kCandidatesAtATime = 64;
// The time for candidates that need a process each: on a GPU there are few a second.
constexpr std::chrono::seconds kPatienceAlone{30};
// Processes in which a smaller case, or an intermittent one, is run to see that it still fails.
constexpr int kLooks = 3;

bool still_fails(Runner& runner, const Case& c, std::uint64_t key, const RunOptions& options) {
  return runner.first_failing(key, options)(std::span<const Case>(&c, 1)) == 0;
}

/// Whether the rule that the case breaks makes two operands share memory.
bool shares_memory(Case c) {
  return apply_rule(c) && guest_of(c) >= 0;
}

/// Looks for smaller cases of one failure, until its time is up.
class Shrinking {
 public:
  Shrinking(Runner& runner, const Case& c, const Confirmation& confirmation,
            const ExamineOptions& options)
      : runner_(runner),
        options_(options),
        implementation_(runner.implementation(options.implementation)),
        key_(key_in(confirmation, c, implementation_)),
        in_batches_(candidate_options(options, confirmation)),
        is_rare_(in_batches_.repeats > 1),
        limit_(Clock::now() + options.shrink_limit),
        run_(runner.first_failing(key_, in_batches_)) {}

  /// The smallest case that `first_failing` leads to.
  Case smallest(const Case& c, const FirstFailing& first_failing) const {
    Case minimal = shrink(c, options_.limits, first_failing);
    // If the failure is intermittent, a smaller case may have passed by chance.
    for (bool again = is_rare_; again;) {
      Case smaller = shrink(minimal, options_.limits, first_failing);
      again = smaller != minimal;
      minimal = std::move(smaller);
    }
    return minimal;
  }

  /// The index of the first candidate from `at` on that fails, or -1. Goes in parts, so that a slow
  /// kernel with many runs a candidate does not overstep the limit.
  int first_failing(std::span<const Case> candidates, std::size_t at = 0) const {
    const std::size_t at_a_time = options_.before.empty() ? kCandidatesAtATime : kApartAtATime;
    while (at < candidates.size() && Clock::now() < limit_) {
      const auto part = candidates.subspan(at, std::min(at_a_time, candidates.size() - at));
      const int failing = run_(part);
      if (failing >= 0) return static_cast<int>(at) + failing;
      at += part.size();
    }
    return -1;
  }

  /// As first_failing(), but a candidate must also fail by itself, each run of it as `alone` says.
  int first_failing_alone(std::span<const Case> candidates, const RunOptions& alone) const {
    int at = first_failing(candidates);
    while (at >= 0 && !fails_alone(candidates[static_cast<std::size_t>(at)], alone))
      at = first_failing(candidates, static_cast<std::size_t>(at) + 1);
    return at;
  }

  /// Whether a candidate fails in processes that run nothing else: in all of a few or, if the
  /// failure is intermittent, in any.
  bool fails_alone(const Case& candidate, const RunOptions& alone) const {
    const auto fails = [&](const Verdict& v) {
      return key_of(candidate, v, implementation_) == key_;
    };
    // A process of its own costs seconds on a GPU, and a hang its time anywhere.
    const bool is_costly = implementation_.on_gpu() || options_.kind == Kind::kHang;
    const auto verdicts = runner_.run_copies(candidate, is_costly && !is_rare_ ? 1 : kLooks, alone);
    return !verdicts.empty() &&
           (is_rare_ ? std::ranges::any_of(verdicts, fails) : std::ranges::all_of(verdicts, fails));
  }

  /// How a candidate is run.
  const RunOptions& in_batches() const { return in_batches_; }
  void end_within(Clock::duration time) { limit_ = std::min(limit_, Clock::now() + time); }

 private:
  Runner& runner_;
  const ExamineOptions& options_;
  const ImplementationInfo& implementation_;
  std::uint64_t key_;
  RunOptions in_batches_;
  bool is_rare_;
  Clock::time_point limit_;
  FirstFailing run_;
};

/// With as many runs as it takes: with a kernel that counts its calls, a candidate may have failed
/// only because of the others before it.
RunOptions alone(RunOptions options, const Confirmation& confirmation) {
  options.own_process = true;
  options.repeats = patient_repeats(confirmation);
  return options;
}

}  // namespace

Case shrink_failure(Runner& runner, const Case& c, const Confirmation& confirmation,
                    const ExamineOptions& options) {
  Shrinking shrinking(runner, c, confirmation, options);
  Case minimal = shrinking.smallest(
      c, [&](std::span<const Case> candidates) { return shrinking.first_failing(candidates); });
  if (minimal == c || runner.stops_at_pulse() ||
      shrinking.fails_alone(minimal, alone(run_options(options, confirmation), confirmation)))
    return minimal;
  // It fails only after others of its batch, or intermittently though the case itself always fails:
  // shrink again, by steps that hold in processes of their own.
  shrinking.end_within(kPatienceAlone);
  const RunOptions step = alone(shrinking.in_batches(), confirmation);
  return shrinking.smallest(c, [&](std::span<const Case> candidates) {
    return shrinking.first_failing_alone(candidates, step);
  });
}

TraitSet essential_traits(Runner& runner, const Case& minimal, const Confirmation& confirmation,
                          const ExamineOptions& options) {
  const ImplementationInfo& implementation = runner.implementation(options.implementation);
  const std::uint64_t key = key_in(confirmation, minimal, implementation);
  const RunOptions run = candidate_options(options, confirmation);
  // A failure has one signature, whichever dtypes a campaign draws.
  Limits limits = options.limits;
  limits.dtypes = kAllDtypes;
  TraitSet essential;
  // So rare a failure is missed in most cases that have it: one that passes proves nothing.
  if (fails_too_rarely(confirmation)) return essential;
  const bool shares = shares_memory(minimal);
  for (const Trait trait : traits(minimal)) {
    // Which bytes are overwritten decides whether the failure shows, not why it happens.
    if (shares && tells_of_elements(trait)) continue;
    Case plain = reset(minimal, trait);
    repair(plain, limits);
    // A trait that cannot be reset alone proves nothing.
    if (includes(traits(plain), TraitSet{trait})) continue;
    if (runner.stops_at_pulse()) break;
    // An intermittent failure stays away by chance in one of 20 series of runs, and a case has many
    // traits.
    bool fails = false, taken = true;
    for (int look = 0; look < (run.repeats > 1 ? kLooks : 1) && !fails; ++look) {
      const auto verdicts = runner.run_in_one_process(std::span<const Case>(&plain, 1), run);
      if (verdicts.empty()) break;
      const Verdict& seen = verdicts.front();
      fails = key_of(plain, seen, implementation) == key;
      // A case that the kernel does not take proves nothing either.
      taken = seen.status != Status::kRefused && seen.status != Status::kUnsupported;
    }
    if (!fails && taken) essential.push_back(trait);
  }
  // Resetting the 0-dimensional trait of one operand alone gives it another rank than the others',
  // which may matter by itself: reset those of all operands together.
  const TraitSet ranks = zero_dimensional(essential);
  if (ranks.empty()) return essential;
  Case plain = minimal;
  for (const Trait rank : zero_dimensional(traits(minimal))) plain = reset(plain, rank);
  repair(plain, limits);
  // A scalar operand stays 0-dimensional in any case.
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
  if (minimal.breaks == 0 || !implementation.custom || runner.stops_at_pulse()) return false;
  RunOptions run = run_options(options, confirmation);
  run.without_base = run.own_process = true;
  return !still_fails(runner, minimal, key_in(confirmation, minimal, implementation), run);
}

Verdict verdict_on(Runner& runner, const Case& c, const Confirmation& confirmation,
                   const ExamineOptions& options) {
  // Another run of a hang would tell nothing that is worth the wait.
  if (options.kind == Kind::kHang) return confirmation.verdict;
  const ImplementationInfo& implementation = runner.implementation(options.implementation);
  const std::uint64_t key = key_in(confirmation, c, implementation);
  const int tries = confirmation.failed < confirmation.runs ? kLooks : 1;
  for (int i = 0; i < tries && !runner.stops_at_pulse(); ++i) {
    const auto verdicts =
        runner.run_in_one_process(std::span<const Case>(&c, 1), run_options(options, confirmation));
    const bool same = !verdicts.empty() && key_of(c, verdicts.front(), implementation) == key;
    if (same) return verdicts.front();
  }
  Verdict verdict = confirmation.verdict;
  if (verdict.kind == Kind::kValue && verdict.element >= 0) {
    // The element is one of the case that was confirmed.
    verdict.element = -1;
    verdict.wrong_elements = verdict.value_bytes = 0;
    verdict.message = {};
  }
  return verdict;
}

}  // namespace indexfuzz
